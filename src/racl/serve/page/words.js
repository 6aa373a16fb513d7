// Numbers, moments and credits in words.

import { el } from "./dom.js";

export const CREDITS = {
  "accepted-already-good": ["Already good", "As it came it is feasible and good enough."],
  "accepted-repairable-good": ["Good with a repair", "A known, affordable repair makes it feasible and good enough."],
  "rejected-non-repairable": ["No repair helps", "Whatever is done, a requirement fails."],
  "rejected-repairable-over-budget": ["Repair beyond the budget", "It could be made feasible, but not for this budget."],
  "rejected-feasible-suboptimal": ["Feasible, not good enough", "It meets every requirement, but its value is below the threshold."],
  "rejected-repairable-suboptimal": ["Repairable, not good enough", "It can be made feasible, but its value stays below the threshold."],
};

const NUMBER = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A number as people read it; an infinity comes as text and stays so. */
export function number(value, unit = "") {
  if (value === null || value === undefined) return "–";
  const text = typeof value === "number" ? NUMBER.format(value).replace("-", "−") : String(value);
  return unit ? `${text} ${unit}` : text;
}

export const whole = (value) => WHOLE.format(value);
export const percent = (value) => `${NUMBER.format(Math.round(value * 1000) / 10)} %`;

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });
const WIDTHS = { 60: "1 minute", 300: "5 minutes", 900: "15 minutes", 3600: "1 hour", 21600: "6 hours", 86400: "1 day", 604800: "7 days", 2592000: "30 days" };

/** How wide a span of time is. */
export const span = (seconds) => WIDTHS[seconds] ?? `${number(seconds)} s`;

/** The beginning of a span of time, as exactly as it is wide. */
export const beginning = (text, seconds) => (seconds < 86400 ? moment(text) : DAY.format(new Date(text)));

/** A value of a row. */
export function value(held, unit = "") {
  if (held === true) return "yes";
  if (held === false) return "no";
  return typeof held === "number" || held === null || held === undefined ? number(held, unit) : String(held);
}

/** A moment, to the second; seconds since 1970 where it is a number. */
export function moment(text) {
  const at = new Date(typeof text === "number" ? text * 1000 : text);
  return Number.isNaN(at.getTime()) ? "–" : MOMENT.format(at);
}

/** A number to four digits. */
export const brief = (held) => number(typeof held === "number" ? Number(held.toPrecision(4)) : held);

export const creditWords = (credit) => CREDITS[credit]?.[0] ?? credit;

/** A credit as a badge. */
export function badge(credit, words = creditWords(credit)) {
  return el("span", { class: `badge ${credit in CREDITS ? credit : ""}`, title: credit }, words);
}

/** A version as people can tell it from others. */
export const short = (version) => version.slice(0, 12);

/** What went wrong, for everybody to notice. */
export function trouble(fault) {
  const where = fault.field ? el("code", {}, fault.field) : null;
  const title = fault.status ? `${fault.message}` : "The service did not answer. Is it running?";
  return el("p", { class: "fault", role: "alert" }, where, where && " ", title);
}

/** Nothing to show, and what to do about it. */
export function nothing(title, ...words) {
  return el("div", { class: "nothing" }, el("p", { class: "title" }, title), words.length ? el("p", {}, ...words) : null);
}
