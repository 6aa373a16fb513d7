// What each persona prefers: a weight for each feature, as a number and as a bar from nothing.

import { draw, el, picture } from "./dom.js";
import { number } from "./words.js";

function weightBar(weight, most) {
  const share = most ? (Math.abs(weight) / most) * 50 : 0;
  const from = weight < 0 ? 50 - share : 50;
  return picture(
    `weight ${number(weight)}`,
    { class: "bar weight", width: "100%", height: 10 },
    draw("rect", { class: weight < 0 ? "bad" : "good", x: `${from}%`, y: 1, width: `${share}%`, height: 8, rx: 2 }),
    draw("line", { class: "mark", x1: "50%", x2: "50%", y1: 0, y2: 10 }),
  );
}

/** A table: a line for each feature, a column for each persona. */
export function weights(document) {
  const people = Object.entries(document.preference);
  if (document.preference_default) people.push(["any other", document.preference_default]);
  const features = Object.entries(document.domain.features);
  const text = (said) => (typeof said === "object" ? said.value : String(said));
  const most = Math.max(...people.flatMap(([, one]) => Object.values(one.weights).map(Math.abs)));
  const error = (person, name) => document.fit?.personas?.[person]?.standard_errors?.weights?.[name];
  const cell = (person, weight, name) => {
    const off = error(person, name);
    return el("td", {}, number(weight), typeof off === "number" ? el("span", { class: "soft error-of" }, ` ± ${number(Number(off.toPrecision(2)))}`) : null, weightBar(weight, most));
  };
  const lines = features.map(([name, said]) =>
    el("tr", {}, el("th", { scope: "row" }, name, el("code", { class: "soft" }, text(said))), people.map(([person, one]) => cell(person, one.weights[name], name))),
  );
  const bias = el("tr", { class: "sum" }, el("th", { scope: "row" }, "bias"), people.map(([, one]) => el("td", {}, number(one.bias))));
  const head = el("tr", {}, ["Feature", ...people.map(([name]) => name)].map((name) => el("th", { scope: "col" }, name)));
  return el("div", { class: "scroll" }, el("table", { class: "figures weights" }, el("thead", {}, head), el("tbody", {}, bias, lines)));
}
