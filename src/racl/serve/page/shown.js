// One decision as one looks at it: the verdict, requirements, repairs, sliders, and how the value comes about.

import { costBar, scales, valueBar } from "./bars.js";
import { el, fill, later, latest, marked } from "./dom.js";
import { CREDITS, badge, number, trouble, value } from "./words.js";

const LIMIT = 12; // repairs shown before the rest is folded away

/** The plan's repairs by their labels, or that there is none. */
function planWords(found, explanation) {
  if (found.plan === null) return "none";
  if (found.plan === "keep") return "keep it as it came";
  const labels = new Map(explanation.repairs.map((one) => [one.repair, one.label || one.repair]));
  return found.plan.split(" + ").map((one) => labels.get(one) ?? one).join(", then ");
}

function verdictCard(found, explanation, rest) {
  const [title, about] = CREDITS[found.credit] ?? [found.credit, ""];
  const { unit } = explanation.budget;
  const facts = [
    ["plan", planWords(found, explanation)],
    ["value", number(found.value)],
    ["margin", number(found.margin)],
    ["cost", number(found.cost, unit)],
  ];
  return el(
    "div",
    { class: `verdict ${found.accepted ? "yes" : "no"}` },
    el("p", { class: "word" }, el("span", { class: "mark", "aria-hidden": "true" }, found.accepted ? "✓" : "✕"), found.accepted ? " Accepted" : " Rejected"),
    el("p", { class: "why" }, badge(found.credit, title), " ", about),
    el("dl", { class: "facts" }, facts.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text)))),
    rest,
  );
}

function reads(check) {
  return check.reads.map((one) => `${one.column} = ${value(one.value, one.unit)}`).join(", ");
}

function requirements(explanation) {
  const failing = explanation.requirements.filter((one) => !one.holds).length;
  const always = new Set(explanation.search.always_failing);
  const lines = explanation.requirements.map((one) =>
    el(
      "li",
      { class: one.holds ? "holds" : "fails" },
      el("span", { class: "sign" }, one.holds ? "met" : "failed"),
      el("strong", {}, one.requirement),
      el("code", {}, one.text),
      el("span", { class: "soft" }, reads(one), always.has(one.requirement) ? " · no repair meets it" : ""),
    ),
  );
  const title = failing ? `${failing} of ${lines.length} failed as it came` : "all met as it came";
  return el("section", { class: "card requirements" }, el("h3", {}, "Requirements ", el("small", {}, title)), el("ul", { class: "plain" }, lines));
}

function status(outcome, turn, planned) {
  if (planned) return ["plan", "the plan"];
  if (!outcome.feasible) return ["no", `fails ${outcome.failing.map((one) => one.requirement).join(", ") || "a requirement"}`];
  if (!(outcome.cost <= turn.budget)) return ["no", `over by ${number(outcome.cost - turn.budget)}`];
  if (!(outcome.value >= turn.threshold)) return ["no", "not good enough"];
  return ["ok", "would do"];
}

function changes(outcome) {
  return outcome.changes.map((one) => `${one.column} ${value(one.before)} → ${value(one.after, one.unit)}`).join(", ");
}

function optionRow(name, label, outcome, unit, scale, turn) {
  if (!outcome) {
    return el("li", { class: "option off" }, el("div", { class: "name" }, el("strong", {}, label || name), el("span", { class: "chip" }, "does not apply")));
  }
  const [kind, words] = status(outcome, turn, turn.plan === name);
  const note = changes(outcome);
  return el(
    "li",
    { class: `option ${kind}`, "data-repair": name },
    el("div", { class: "name" }, el("strong", {}, label || (name === "keep" ? "Keep it as it came" : name)), el("span", { class: `chip ${kind}` }, words)),
    el("div", { class: "measure" }, el("span", { class: "what" }, "cost"), costBar(outcome.cost, turn.budget, unit, scale), el("span", { class: "figure" }, number(outcome.cost, unit))),
    el("div", { class: "measure" }, el("span", { class: "what" }, "value"), valueBar(outcome.value, turn.threshold, scale), el("span", { class: "figure" }, number(outcome.value))),
    note ? el("p", { class: "soft changes" }, note) : null,
  );
}

/** Plans of several steps, then the repairs that apply, then the others; the plan is never folded away. */
function options(explanation, scale, turn) {
  const unit = explanation.budget.unit;
  const names = new Set(explanation.repairs.map((one) => one.repair));
  const plans = explanation.plans.filter((one) => !names.has(one.plan)).map((one) => ({ name: one.plan, label: planWords(one, explanation), outcome: one.outcome, rank: 0 }));
  const alone = explanation.repairs.map((one) => ({ name: one.repair, label: one.label, outcome: one.outcome, rank: one.outcome ? 1 : 2 }));
  const found = [...plans, ...alone].sort((one, other) => one.rank - other.rank);
  if (found.length > LIMIT) found.sort((one, other) => Number(other.name === turn.plan) - Number(one.name === turn.plan));
  const rows = found.map((one) => optionRow(one.name, one.label, one.outcome, unit, scale, turn));
  const folded = rows.slice(LIMIT);
  return [
    el("ul", { class: "plain" }, rows.slice(0, LIMIT)),
    folded.length ? el("details", {}, el("summary", {}, `${folded.length} more`), el("ul", { class: "plain" }, folded)) : null,
  ];
}

function terms(explanation) {
  return explanation.values.map((worth) => {
    const rows = worth.terms.map((one) => el("tr", {}, el("th", { scope: "row" }, one.feature), el("td", {}, number(one.weight)), el("td", {}, number(one.g)), el("td", {}, number(one.product))));
    const sum = (name, text) => el("tr", { class: "sum" }, el("th", { scope: "row", colspan: 3 }, name), el("td", {}, text));
    return el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "figures" },
        el("caption", {}, `After ${worth.plan}`),
        el("thead", {}, el("tr", {}, ["feature", "weight", "g(x)", "product"].map((one) => el("th", { scope: "col" }, one)))),
        el("tbody", {}, sum("bias", number(worth.bias)), rows, sum("score", number(worth.score)), worth.tradeoff ? sum(`less ${number(worth.tradeoff)} × cost`, number(worth.value)) : null),
      ),
    );
  });
}

function slider(name, unit, now, low, high, turn, changed) {
  const id = `turn-${name}`;
  const step = Number(((high - low) / 400).toPrecision(1)) || "any";
  const range = el("input", { id, type: "range", min: Math.min(low, now), max: Math.max(high, now), step, "aria-describedby": `${id}-words` });
  const exact = el("input", { type: "number", step: "any", min: name === "budget" ? 0 : undefined, "aria-label": `${name}, exactly` });
  range.value = exact.value = now;
  const put = (to, from) => {
    const chosen = Number(from.value);
    if (from.value.trim() === "" || !Number.isFinite(chosen) || (name === "budget" && chosen < 0)) return;
    to.value = chosen;
    changed(chosen);
  };
  range.addEventListener("input", () => put(exact, range));
  exact.addEventListener("input", () => put(range, exact));
  const set = (chosen) => {
    range.value = exact.value = chosen;
    changed(chosen);
  };
  const jump = turn.at === null || turn.at === undefined ? null : el("button", { type: "button", class: "small", onclick: () => set(turn.at) }, `to ${number(turn.at, unit)}`);
  const node = el(
    "div",
    { class: "slider" },
    el("label", { for: id }, name[0].toUpperCase() + name.slice(1)),
    el("span", { class: "exact" }, exact, unit ? el("span", { class: "unit" }, unit) : null),
    range,
    el("p", { class: "soft", id: `${id}-words` }, marked(turn.words), " ", jump),
  );
  return { node, set };
}

/**
 * A decision explained. `whatIf` asks the service for the verdict with another budget and threshold; the bars
 * follow the sliders, the verdict is always the service's.
 */
export function shown(found, whatIf) {
  const { explanation, words } = found;
  const unit = explanation.budget.unit;
  const scale = scales(explanation);
  const start = { budget: explanation.budget.value, threshold: explanation.threshold.value, plan: explanation.plan };
  let turn = { ...start };
  const verdict = el("div", { "aria-live": "polite" });
  const list = el("div", { class: "options" });
  const reason = el("p", { class: "reason" });
  const back = el("button", { type: "button", class: "small", onclick: () => reset() }, "As it is");
  const asked = latest(whatIf);

  const paint = (now, changed) => {
    const parts = [];
    if (turn.budget !== start.budget) parts.push(`a budget of ${number(turn.budget, unit)}`);
    if (turn.threshold !== start.threshold) parts.push(`a threshold of ${number(turn.threshold)}`);
    const note = changed ? el("p", { class: "supposed" }, `What if: with ${parts.join(" and ")}, all else as it is. `, back) : null;
    fill(verdict, verdictCard(now, explanation, note));
    fill(list, options(explanation, scale, { ...turn, plan: now.plan }));
    fill(reason, marked(`${changed ? "As it is: " : ""}${explanation.reason} ${explanation.choice}`));
  };
  const decide = later(async () => {
    const changed = turn.budget !== start.budget || turn.threshold !== start.threshold;
    if (!changed) return paint(explanation, false);
    const { answer, fault, old } = await asked({ budget: turn.budget, threshold: turn.threshold });
    if (old) return undefined;
    if (fault) return fill(verdict, trouble(fault));
    return paint(answer.after, true);
  }, 40);
  const move = (name) => (chosen) => {
    turn = { ...turn, [name]: chosen };
    fill(list, options(explanation, scale, turn));
    decide();
  };
  const { turning_budget: least, turning_threshold: most } = explanation;
  const budget = slider("budget", unit, start.budget, 0, scale.most, { at: least.accepted_from, words: least.words }, move("budget"));
  const threshold = slider("threshold", "", start.threshold, scale.low, scale.high, { at: most.accepted_up_to, words: most.words }, move("threshold"));
  const reset = () => {
    budget.set(start.budget);
    threshold.set(start.threshold);
  };
  paint(explanation, false);
  return el(
    "div",
    { class: "shown" },
    verdict,
    reason,
    el("section", { class: "card turn" }, el("h3", {}, "What if"), budget.node, threshold.node),
    el("section", { class: "card" }, el("h3", {}, explanation.steps > 1 ? "Plans, and repairs alone " : "Repairs ", el("small", {}, "cost against budget, value against threshold")), list),
    requirements(explanation),
    el("details", { class: "card" }, el("summary", {}, "How the value comes about"), el("p", { class: "soft" }, `Weights of ${explanation.preference}.`), terms(explanation)),
    el("details", { class: "card" }, el("summary", {}, "All of it in words"), el("pre", { tabindex: 0 }, words)),
  );
}
