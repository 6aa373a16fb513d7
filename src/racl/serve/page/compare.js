// Two versions of a model on the same logged rows.

import { get, part, query } from "./api.js";
import { el, fill } from "./dom.js";
import { CREDITS, badge, creditWords, moment, nothing, percent, short, trouble, whole } from "./words.js";

function matrix(credits) {
  const seen = new Set(Object.entries(credits).flatMap(([first, row]) => [first, ...Object.keys(row)]));
  const names = Object.keys(CREDITS).filter((one) => seen.has(one));
  const lines = names.map((first) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, badge(first)),
      names.map((second) => el("td", { class: first === second ? "soft" : "" }, whole(credits[first]?.[second] ?? 0))),
    ),
  );
  const head = el("tr", {}, el("th", { scope: "col" }, "the first ↓, the second →"), names.map((one) => el("th", { scope: "col" }, creditWords(one))));
  return el("div", { class: "scroll" }, el("table", { class: "figures" }, el("thead", {}, head), el("tbody", {}, lines)));
}

function said(verdict) {
  return [badge(verdict.credit), verdict.plan && verdict.plan !== "keep" ? ` by ${verdict.plan}` : ""];
}

function differences(list) {
  if (!list.length) return null;
  const lines = list.map((one) =>
    el("tr", {}, el("th", { scope: "row" }, el("a", { href: `#/decisions/${part(one.id)}` }, moment(one.at))), el("td", {}, said(one.first)), el("td", {}, said(one.second))),
  );
  const head = ["Decision", "the first", "the second"].map((one) => el("th", { scope: "col" }, one));
  return el("details", {}, el("summary", {}, `The latest ${list.length} that differ`), el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines))));
}

function compared(found) {
  if (!found.compared) return nothing("There is nothing to compare on.", "No logged row can be decided by both.");
  const left = found.left_out ? ` ${whole(found.left_out)} rows are left out: something is hidden, or one of the two refuses them.` : "";
  const words = `Of ${whole(found.compared)} logged rows ${whole(found.same)} (${percent(found.same / found.compared)}) have the same credit and plan.`;
  const turned = ` The second accepts ${whole(found.accepted)} that the first rejects, and rejects ${whole(found.rejected)} that the first accepts.${left}`;
  return [el("p", {}, words + turned), matrix(found.credits), differences(found.differences)];
}

/** Two choices, and what comes of them. */
export function compare(model) {
  const versions = [...model.versions].reverse();
  const select = (name, chosen) =>
    el("label", {}, el("span", {}, name), el("select", {}, versions.map((one) => el("option", { value: one.version, selected: one.version === chosen }, `${short(one.version)}${one.active ? " (active)" : ""}`))));
  const other = versions.find((one) => !one.active) ?? versions[0];
  const [first, second] = [select("the first", model.active), select("the second", other.version)];
  const place = el("div", { role: "status", class: "compared" });
  const run = async () => {
    const [one, two] = [first, second].map((label) => label.querySelector("select").value);
    try {
      fill(place, compared(await get(`/v1/models/${part(model.name)}/compare${query({ first: one, second: two })}`)));
    } catch (fault) {
      fill(place, trouble(fault));
    }
  };
  return el("div", {}, el("div", { class: "filters" }, first, second, el("div", { class: "buttons" }, el("button", { type: "button", onclick: run }, "Compare"))), place);
}
