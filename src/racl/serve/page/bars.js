// Repairs as bars: cost against budget, value against threshold.

import { draw, el, picture } from "./dom.js";
import { number } from "./words.js";

const finite = (one) => typeof one === "number" && Number.isFinite(one);

/** From where to where the bars go, so that every repair, the budget and the threshold are in. */
export function scales(explanation) {
  const outcomes = [...explanation.repairs, ...explanation.plans].map((one) => one.outcome).filter(Boolean);
  const costs = [...outcomes.map((one) => one.cost), explanation.budget.value, explanation.turning_budget.accepted_from].filter(finite);
  const values = [...outcomes.map((one) => one.value), explanation.threshold.value].filter(finite);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * 0.15;
  return { most: (Math.max(...costs) || 1) * 1.15, low: low - room, high: high + room };
}

const at = (share) => `${Math.round(Math.min(1, Math.max(0, share)) * 10000) / 100}%`;

function bar(label, from, to, mark, kind) {
  const [left, right] = [Math.min(from, to), Math.max(from, to)].map((one) => Math.min(1, Math.max(0, one)));
  return picture(
    label,
    { class: "bar", width: "100%", height: 16 },
    draw("rect", { class: "track", x: 0, y: 4, width: "100%", height: 8, rx: 4 }),
    draw("rect", { class: kind, x: at(left), y: 3, width: at(Math.max(right - left, 0.004)), height: 10, rx: 2 }),
    draw("line", { class: "mark", x1: at(mark), x2: at(mark), y1: 0, y2: 16 }),
  );
}

/** A cost as a bar from nothing; what is over the budget stands out. */
export function costBar(cost, budget, unit, scale) {
  const over = finite(cost) ? cost > budget : true;
  const words = `cost ${number(cost, unit)}, ${over ? "over" : "within"} the budget of ${number(budget, unit)}`;
  return bar(words, 0, finite(cost) ? cost / scale.most : 1, budget / scale.most, over ? "bad" : "good");
}

/** A value as a bar from the threshold: to the right where it reaches it, to the left where it falls short. */
export function valueBar(value, threshold, scale) {
  const place = (one) => (one - scale.low) / (scale.high - scale.low);
  if (!finite(value)) return el("span", { class: "soft" }, "no finite value");
  const words = `value ${number(value)}, ${value >= threshold ? "reaches" : "short of"} the threshold of ${number(threshold)}`;
  return bar(words, place(threshold), place(value), place(threshold), value >= threshold ? "good" : "bad");
}
