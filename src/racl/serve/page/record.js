// How a version was learned, as its file says: guard, validation figures, and everything else as it is.

import { draw, el, picture } from "./dom.js";
import { brief, number, whole } from "./words.js";

const rate = (held) => held !== null && typeof held === "object" && "value" in held && "method" in held;
const table = (head, lines) =>
  el("div", { class: "scroll" }, el("table", { class: "figures" }, el("thead", {}, el("tr", {}, head.map((one) => el("th", { scope: "col" }, one)))), el("tbody", {}, lines)));

function interval(held) {
  if (typeof held.low !== "number" || typeof held.high !== "number" || held.low < 0 || held.high > 1) return null;
  const at = (share) => `${share * 100}%`;
  return picture(
    `between ${brief(held.low)} and ${brief(held.high)}`,
    { class: "bar interval", width: "100%", height: 10 },
    draw("rect", { class: "track", width: "100%", y: 3, height: 4, rx: 2 }),
    draw("rect", { class: "good", x: at(held.low), width: at(Math.max(held.high - held.low, 0.01)), y: 2, height: 6, rx: 2 }),
    draw("line", { class: "mark", x1: at(held.value), x2: at(held.value), y1: 0, y2: 10 }),
  );
}

function figure(held) {
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, held.name),
    el("td", {}, brief(held.value)),
    el("td", {}, brief(held.low), " to ", brief(held.high)),
    el("td", { class: "drawn" }, interval(held)),
    el("td", {}, `${whole(held.count)} of ${whole(held.of)}`),
    el("td", { class: "soft" }, held.method),
  );
}

function figures(held) {
  const rates = Object.values(held ?? {}).filter(rate);
  const known = rates.filter((one) => one.value !== null);
  const unknown = rates.filter((one) => one.value === null);
  if (!known.length) return null;
  return [
    table(["Figure", "Value", "Interval", "0 to 1", "Count", "Method"], known.map(figure)),
    unknown.length ? el("p", { class: "soft" }, `Not known: ${unknown.map((one) => `${one.name} (${one.method})`).join(", ")}.`) : null,
  ];
}

function plain(held) {
  if (held === true || held === false) return held ? "yes" : "no";
  return typeof held === "string" ? held : number(held);
}

function short(held) {
  return rate(held) ? brief(held.value) : typeof held === "object" && held !== null ? JSON.stringify(held) : plain(held);
}

/** Plain data of any shape, nested as it is; a list of like things is a table. */
function data(held) {
  if (held === null || typeof held !== "object") return plain(held);
  if (rate(held)) return `${brief(held.value)} (${whole(held.count)} of ${whole(held.of)}; ${brief(held.low)} to ${brief(held.high)}, ${held.method})`;
  if (!Array.isArray(held)) return pairs(held);
  if (held.length && held.every((one) => one !== null && typeof one === "object" && !Array.isArray(one))) {
    const names = Object.keys(held[0]);
    return table(names, held.map((one) => el("tr", {}, names.map((name) => el("td", {}, short(one[name]))))));
  }
  return held.map(short).join(", ") || "–";
}

function pairs(held) {
  return el("dl", { class: "pairs" }, Object.entries(held).map(([name, one]) => [el("dt", {}, name.replaceAll("_", " ")), el("dd", {}, data(one))]));
}

function guardWords(guard) {
  if (typeof guard !== "object" || guard === null) return plain(guard ?? "none");
  const said = Object.entries(guard).filter(([name, held]) => name !== "name" && (typeof held === "number" || typeof held === "string"));
  return [guard.name, ...said.map(([name, held]) => `${name.replaceAll("_", " ")} = ${plain(held)}`)].join(", ");
}

/** The learner and the guard in a few words. */
export function learned(fit) {
  const guard = typeof fit.guard === "object" ? fit.guard?.name : fit.guard;
  return [fit.learner, guard && `guard ${guard}`].filter((one) => typeof one === "string").join(", ") || "by hand";
}

/** Everything that the file says of the fit. */
export function fitted(fit) {
  if (!Object.keys(fit).length) return el("p", { class: "soft" }, "Its file says nothing of how it was learned: the weights were written by hand, or come from elsewhere.");
  const found = figures(fit.validation?.figures);
  const against = fit.validation?.against;
  return [
    el("dl", { class: "pairs" }, el("dt", {}, "learner"), el("dd", {}, plain(fit.learner ?? "–")), el("dt", {}, "guard"), el("dd", {}, guardWords(fit.guard))),
    found ? el("section", { class: "validation" }, el("h4", {}, `Validation${against ? ` against ${against}` : ""}`), found) : null,
    el("details", {}, el("summary", {}, "All that the file says of it"), data(fit)),
  ];
}
