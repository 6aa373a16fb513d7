// One decision of the log: explained, asked what if, made again, and what became of it.

import { get, part, post } from "./api.js";
import { remember } from "./decide.js";
import { el, fill } from "./dom.js";
import { shown } from "./shown.js";
import { badge, moment, number, trouble, value } from "./words.js";

const SIX = ["accepted", "credit", "plan", "value", "margin", "cost"];

function facts(one) {
  const pairs = [
    ["id", el("code", {}, one.id)],
    ["when", moment(one.at)],
    ["model", el("code", {}, one.model)],
    ["persona", one.persona ?? "–"],
    ["shown with probability", number(one.probability)],
  ];
  if (one.explored) pairs.push(["explored", "shown although the model rejected it"]);
  if (one.masked.length) pairs.push(["hidden for good", one.masked.join(", ")]);
  return el("dl", { class: "pairs" }, pairs.map(([name, held]) => [el("dt", {}, name), el("dd", {}, held)]));
}

function row(one) {
  const pairs = Object.entries(one.row).map(([name, held]) => [el("dt", {}, name), el("dd", {}, value(held))]);
  return el("details", { class: "card" }, el("summary", {}, "The row as it was read"), el("dl", { class: "pairs" }, pairs));
}

function replayed(answer) {
  const lines = SIX.map((name) => el("tr", {}, el("th", { scope: "row" }, name), [answer.logged, answer.replayed].map((verdict) => el("td", {}, value(verdict[name])))));
  const head = ["", "logged", "again"].map((name) => el("th", { scope: "col" }, name));
  return el(
    "div",
    { class: "replayed", role: "status" },
    el("p", {}, el("span", { class: `chip ${answer.same ? "ok" : "no"}` }, answer.same ? "the same" : "not the same")),
    el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines)),
  );
}

function outcomePart(one, again) {
  if (one.outcome !== null) return el("p", {}, one.outcome ? "Taken" : "Declined", el("span", { class: "soft" }, `, ${moment(one.outcome_at)}`));
  if (!one.accepted && !one.explored) return el("p", { class: "soft" }, "Nothing was offered, so nothing can have come of it.");
  const place = el("div");
  const tell = async (accepted) => {
    try {
      await post(`/v1/decisions/${part(one.id)}/outcome`, { accepted });
      await again();
    } catch (fault) {
      fill(place, trouble(fault));
    }
  };
  return el(
    "div",
    {},
    el("p", { class: "soft" }, "What became of the offer is said once."),
    el("div", { class: "buttons" }, el("button", { type: "button", onclick: () => tell(true) }, "It was taken"), el("button", { type: "button", onclick: () => tell(false) }, "It was declined")),
    place,
  );
}

function actions(one, model) {
  const place = el("div");
  const replay = async () => {
    try {
      fill(place, replayed(await post(`/v1/decisions/${part(one.id)}/replay`, {})));
    } catch (fault) {
      fill(place, trouble(fault));
    }
  };
  const open = () => {
    sessionStorage.setItem("racl-model", model);
    remember(model, one.row);
    location.hash = "#/decide";
  };
  return el(
    "div",
    { class: "buttons column" },
    el("div", { class: "buttons" }, el("button", { type: "button", onclick: replay }, "Make it again"), el("button", { type: "button", onclick: open }, "Open the row in Decide")),
    place,
  );
}

async function explained(one) {
  try {
    const found = await get(`/v1/decisions/${part(one.id)}/explanation`);
    return shown(found, (turn) => post("/v1/what-if", { id: one.id, ...turn }));
  } catch (fault) {
    if (fault.status === 401) throw fault;
    return trouble(fault);
  }
}

export async function showOne(main, state) {
  const one = await get(`/v1/decisions/${part(state.rest[0])}`);
  const model = one.model.split("@")[0];
  const side = el(
    "div",
    { class: "side" },
    el("section", { class: "card" }, el("h3", {}, "Logged"), facts(one)),
    el("section", { class: "card" }, el("h3", {}, "What became of it"), outcomePart(one, state.again)),
    el("section", { class: "card" }, el("h3", {}, "Again"), actions(one, model)),
    row(one),
  );
  fill(
    main,
    el("p", {}, el("a", { href: "#/decisions" }, "← All decisions")),
    el("h1", {}, "Decision ", badge(one.credit)),
    el("div", { class: "beside" }, side, el("div", { class: "result" }, await explained(one))),
  );
}
