// The view that decides: a form, and the decision beside it as one types.

import { part, post, get } from "./api.js";
import { el, fill, later, latest } from "./dom.js";
import { rowForm } from "./form.js";
import { shown } from "./shown.js";
import { badge, nothing, trouble } from "./words.js";

const ROW = "racl-row-";

/** The row that was last looked at, where the tab still has it. */
function remembered(name) {
  try {
    return JSON.parse(sessionStorage.getItem(ROW + name) ?? "null");
  } catch {
    return null;
  }
}

export function remember(name, row) {
  sessionStorage.setItem(ROW + name, JSON.stringify(row));
}

function logged(answer, number) {
  const [found] = answer.decisions;
  const link = el("a", { href: `#/decisions/${part(found.id)}` }, found.id);
  return el("p", { class: "logged", role: "status" }, `${number}. `, badge(found.credit), " ", link);
}

export async function show(main, { model }) {
  if (!model) return fill(main, el("h1", {}, "Decide"), nothing("No model is served.", "Send one on the page Models."));
  const { document: file } = await get(`/v1/models/${part(model)}/versions/active`);
  const result = el("div", { class: "result" });
  const log = el("div", { class: "log" });
  const glance = el("button", { type: "button", class: "glance", onclick: () => result.scrollIntoView() });
  let count = 0;
  const explain = latest((row) => post("/v1/explain", { row, model }));
  const refresh = async () => {
    const row = form.row();
    remember(model, row);
    const { answer, fault, old } = await explain(row);
    if (old) return;
    const named = form.blame(fault?.field, fault?.message);
    fill(glance, fault ? "Not decided" : badge(answer.explanation.credit), " ↓");
    if (!fault) fill(result, shown(answer, (turn) => post("/v1/what-if", { row, model, ...turn })));
    else if (fault.status === 401) throw fault;
    else fill(result, named ? nothing("Not decided", "The form says which value cannot be taken.") : trouble(fault));
  };
  const form = rowForm(file.domain, remembered(model), later(refresh, 150));
  const decide = async (event) => {
    event.preventDefault();
    try {
      log.prepend(logged(await post("/v1/decide", { row: form.row(), model }), ++count));
    } catch (fault) {
      if (!form.blame(fault.field, fault.message)) log.prepend(trouble(fault));
    }
  };
  form.node.addEventListener("submit", decide);
  form.node.append(
    el("div", { class: "buttons" }, el("button", { type: "submit", class: "main" }, "Decide and log"), el("button", { type: "button", onclick: () => again() }, "Start afresh")),
    el("p", { class: "soft" }, "What stands beside the form is worked out as you type and not logged."),
    log,
    glance,
  );
  const again = () => {
    remember(model, null);
    return show(main, { model });
  };
  const title = file.domain.label || file.domain.name;
  fill(main, el("h1", {}, "Decide ", el("small", {}, title)), el("div", { class: "beside" }, form.node, result));
  return refresh();
}
