// The log: decisions by filters, the latest first, a page at a time.

import { get, part, query } from "./api.js";
import { el, fill, latest, later } from "./dom.js";
import { personas, repairs } from "./domain.js";
import { CREDITS, badge, creditWords, moment, nothing, number, trouble } from "./words.js";
import { showOne } from "./decision.js";

const PAGE = 50;
const FILTERS = ["model", "credit", "plan", "persona", "accepted", "version", "after", "before"];

function choice(name, label, options, said) {
  const choices = [["", "any"], ...options].map(([value, text]) => el("option", { value, selected: value === (said[name] ?? "") }, text));
  return el("label", {}, el("span", {}, label), el("select", { name }, choices));
}

function written(name, label, said, attributes = {}, options = []) {
  const list = options.length ? el("datalist", { id: `known-${name}` }, options.map((one) => el("option", { value: one }))) : null;
  const input = el("input", { name, value: said[name] ?? "", list: list ? `known-${name}` : undefined, autocomplete: "off", ...attributes });
  return el("label", {}, el("span", {}, label), input, list);
}

function filterForm(said, models, file) {
  const known = file ? repairs(file.domain).map((one) => one.name) : [];
  const moments = { type: "datetime-local", step: 1 };
  return el(
    "form",
    { class: "filters", "aria-label": "Filters" },
    choice("model", "Model", models.map((one) => [one.name, one.label || one.name]), said),
    choice("accepted", "Decision", [["true", "accepted"], ["false", "rejected"]], said),
    choice("credit", "Credit", Object.keys(CREDITS).map((one) => [one, creditWords(one)]), said),
    written("plan", "Plan", said, { maxlength: 500 }, ["keep", ...known]),
    written("persona", "Persona", said, { maxlength: 500 }, file ? personas(file.domain) : []),
    written("version", "Version", said, { maxlength: 64, pattern: "[0-9a-f]{12,64}", title: "12 digits of its hash, or more" }),
    written("after", "From", said, moments),
    written("before", "Until", said, moments),
    el("div", { class: "buttons" }, el("button", { type: "reset" }, "All")),
  );
}

/** What is asked of the log: moments with the zone of whoever looks. */
function asked(said, cursor) {
  const zoned = (text) => (text ? new Date(text).toISOString() : "");
  return `/v1/decisions${query({ ...said, after: zoned(said.after), before: zoned(said.before), cursor, limit: PAGE })}`;
}

function outcome(one) {
  if (one.outcome === null) return "–";
  return one.outcome ? "taken" : "declined";
}

function line(one) {
  const cell = (label, ...held) => el("td", { "data-label": label, class: held[0] === "–" ? "none" : undefined }, held);
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, el("a", { href: `#/decisions/${part(one.id)}` }, moment(one.at))),
    cell("credit", badge(one.credit), one.explored ? el("span", { class: "chip" }, "explored") : null),
    cell("plan", one.plan ?? "–"),
    cell("persona", one.persona ?? "–"),
    cell("value", number(one.value)),
    cell("margin", number(one.margin)),
    cell("cost", number(one.cost)),
    cell("model", el("span", { class: "version" }, one.model)),
    cell("outcome", outcome(one)),
  );
}

function empty(said) {
  const filtered = FILTERS.some((name) => said[name]);
  if (filtered) return nothing("No decision is like that.", "Take away a filter.");
  return nothing("Nothing has been decided yet.", el("a", { href: "#/decide" }, "Decide a row"), ", or ask POST /v1/decide.");
}

export async function show(main, state) {
  if (state.rest.length) return showOne(main, state);
  let said = Object.fromEntries(FILTERS.map((name) => [name, state.said[name] ?? ""]));
  const file = state.model ? (await get(`/v1/models/${part(state.model)}/versions/active`)).document : null;
  const head = ["When", "Credit", "Plan", "Persona", "Value", "Margin", "Cost", "Model", "Outcome"];
  const body = el("tbody");
  const table = el("table", { class: "log-table" }, el("thead", {}, el("tr", {}, head.map((one) => el("th", { scope: "col" }, one)))), body);
  const list = el("div", { class: "scroll" });
  const more = el("div", { class: "buttons more" });
  const ask = latest((cursor) => get(asked(said, cursor)));
  const load = async (cursor) => {
    const { answer, fault, old } = await ask(cursor);
    if (old) return;
    if (fault?.status === 401) throw fault;
    if (fault) return void fill(list, trouble(fault));
    if (!cursor) body.replaceChildren();
    body.append(...answer.decisions.map(line));
    fill(list, body.children.length ? table : empty(said));
    fill(more, answer.next ? el("button", { type: "button", onclick: () => load(answer.next) }, "Earlier ones") : null);
  };
  const form = filterForm(said, state.models, file);
  const changed = later(() => {
    if (!form.reportValidity()) return;
    said = Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value.trim()]));
    history.replaceState(null, "", `#/decisions${query(said)}`);
    load();
  }, 200);
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const name of FILTERS) form.elements[name].value = "";
    changed();
  });
  const again = el("button", { type: "button", class: "small", onclick: () => load() }, "Look again");
  const open = window.innerWidth > 736 || FILTERS.some((name) => said[name]);
  const filters = el("details", { class: "card filtering", open }, el("summary", {}, "Filters"), form);
  fill(main, el("h1", {}, "Decisions ", again), filters, list, more);
  return load();
}
