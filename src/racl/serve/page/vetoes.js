// Vetoes: what is being lost, and to what; the list to take to whoever owns the menu.

import { get, part, query } from "./api.js";
import { curve, overTime, share } from "./charts.js";
import { el, fill } from "./dom.js";
import { CREDITS, badge, beginning, brief, nothing, number, percent, trouble, whole } from "./words.js";

const PERIODS = [["3600", "the last hour"], ["86400", "the last day"], ["604800", "the last 7 days"], ["2592000", "the last 30 days"], ["", "all that is kept"]];

function table(head, lines, kind = "figures") {
  return el("div", { class: "scroll" }, el("table", { class: kind }, el("thead", {}, el("tr", {}, head.map((one) => el("th", { scope: "col" }, one)))), el("tbody", {}, lines)));
}

function credits(found) {
  const names = Object.keys(CREDITS).filter((one) => found.credits[one]);
  const lines = names.map((one) => el("tr", {}, el("th", { scope: "row" }, badge(one)), el("td", {}, whole(found.credits[one])), el("td", {}, percent(found.credits[one] / found.counted))));
  const spans = found.spans.map((one) => el("tr", {}, el("th", { scope: "row" }, beginning(one.start, found.width)), names.map((name) => el("td", {}, whole(one.credits[name] ?? 0)))));
  return el(
    "section",
    { class: "card" },
    el("h2", {}, "Credits over time"),
    el("div", { class: "split" }, overTime(found.spans, names, found.width), table(["Credit", "Decisions", "Share"], lines)),
    el("details", {}, el("summary", {}, "As a table"), table(["From", ...names.map((one) => CREDITS[one][0])], spans)),
  );
}

function requirements(found) {
  const most = Math.max(1, ...found.requirements.map((one) => one.fails));
  const lines = found.requirements.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, one.requirement),
      el("td", {}, whole(one.fails), share(one.fails / most, "bad")),
      el("td", {}, whole(one.alone)),
      el("td", {}, one.beyond_repair ? el("span", { class: "chip no" }, `${whole(one.beyond_repair)} beyond repair`) : "0"),
    ),
  );
  return el(
    "section",
    { class: "card" },
    el("h2", {}, "Which requirements block"),
    el("p", { class: "soft" }, "Of the rejections looked into: how often each fails as the candidate came, fails alone, and fails whatever is repaired."),
    table(["Requirement", "Fails", "Alone", "No repair changes it"], lines),
  );
}

function budgets(found) {
  const points = found.curve;
  const last = points.at(-1);
  const title = el("h2", {}, "What a higher budget would turn");
  if (!points.length) return el("section", { class: "card" }, title, el("p", { class: "soft" }, "No budget, however high, turns any of the rejections looked into."));
  const amount = (more) => `${brief(more)}${found.unit ? ` ${found.unit}` : ""}`;
  const half = points.find((one) => one.turned * 2 >= last.turned);
  const lines = points.map((one) => el("tr", {}, el("th", { scope: "row" }, `+ ${number(one.more, found.unit)}`), el("td", {}, whole(one.turned)), el("td", {}, percent(one.turned / found.studied))));
  return el(
    "section",
    { class: "card" },
    title,
    el("p", {}, `${amount(half.more)} more would turn ${whole(half.turned)} of ${whole(found.studied)} rejections; ${amount(last.more)} more turn ${whole(last.turned)}, and no budget the other ${whole(found.studied - last.turned)}.`),
    curve(points, found.studied, found.unit),
    el("details", {}, el("summary", {}, "As a table"), table(["Budget", "Turned", "Of the rejections"], lines)),
  );
}

function repairs(found) {
  const most = Math.max(1, ...found.repairs.map((one) => one.chosen));
  const lines = found.repairs.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, one.label || one.repair, el("code", { class: "soft" }, one.repair)),
      el("td", {}, one.chosen ? whole(one.chosen) : el("span", { class: "chip no" }, "never chosen"), one.chosen ? share(one.chosen / most, "good") : null),
      el("td", {}, whole(one.would_turn)),
    ),
  );
  return el(
    "section",
    { class: "card" },
    el("h2", {}, "What the menu does"),
    el("p", { class: "soft" }, "How often each repair was part of a plan, and how many of the rejections looked into it would turn if the budget were higher."),
    lines.length ? table(["Repair", "Chosen", "Would turn"], lines) : el("p", {}, "The menu is empty."),
  );
}

function headline(found) {
  const accepted = Object.entries(found.credits).reduce((sum, [credit, count]) => sum + (credit.startsWith("accepted") ? count : 0), 0);
  const saved = found.credits["accepted-repairable-good"] ?? 0;
  const figure = (big, words) => el("div", { class: "figure" }, el("strong", {}, big), el("span", {}, words));
  const masked = found.masked ? `; ${whole(found.masked)} more are hidden` : "";
  return el(
    "div",
    { class: "headline" },
    figure(whole(found.counted), "decisions"),
    figure(percent((found.counted - accepted) / found.counted), "rejected"),
    figure(percent(saved / found.counted), "accepted only thanks to a repair"),
    figure(whole(found.studied), `rejections looked into${masked}`),
  );
}

export async function show(main, { model, said }) {
  if (!model) return fill(main, el("h1", {}, "Vetoes"), nothing("No model is served.", "Send one on the page Models."));
  const place = el("div", { class: "stack" });
  const seconds = el("select", { id: "period" }, PERIODS.map(([value, words]) => el("option", { value, selected: value === (said.seconds ?? "2592000") }, words)));
  const load = async () => {
    const after = seconds.value ? new Date(Date.now() - Number(seconds.value) * 1000).toISOString() : "";
    history.replaceState(null, "", `#/vetoes?seconds=${seconds.value}`);
    try {
      const found = await get(`/v1/models/${part(model)}/vetoes${query({ after })}`);
      if (!found.counted) return fill(place, nothing("Nothing was decided in that time."));
      return fill(place, headline(found), credits(found), requirements(found), budgets(found), repairs(found));
    } catch (fault) {
      if (fault.status === 401) throw fault;
      return fill(place, trouble(fault));
    }
  };
  seconds.addEventListener("change", load);
  fill(main, el("h1", {}, "Vetoes ", el("small", {}, "what is being lost, and to what")), el("p", { class: "which-version" }, el("label", { for: "period" }, "Of "), seconds), place);
  return load();
}
