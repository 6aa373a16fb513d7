// What is tried beside the version that decides: another one for a share of the requests, and one in the shadow.

import { get, part, post, query } from "./api.js";
import { careful } from "./careful.js";
import { el, fill } from "./dom.js";
import { badge, moment, nothing, percent, short, trouble, whole } from "./words.js";

const LISTED = 50; // differences

const code = (version) => el("code", { title: version }, short(version));
const others = (model) => [...model.versions].reverse().filter((one) => !one.active);

/** A choice of the versions that do not decide, newest first. */
function which(model, chosen, label) {
  const options = others(model).map((one) => el("option", { value: one.version, selected: one.version === chosen }, short(one.version)));
  return el("label", {}, el("span", {}, label), el("select", {}, options));
}

/** A share in per cent, by a slider and exactly. */
function percentage(now) {
  const range = el("input", { type: "range", min: 0, max: 100, step: 1, value: now, "aria-label": "Share in per cent, roughly" });
  const exact = el("input", { type: "number", min: 0.001, max: 100, step: "any", value: now, required: true, "aria-label": "Share in per cent" });
  range.addEventListener("input", () => (exact.value = range.value));
  exact.addEventListener("input", () => (range.value = exact.value));
  return { exact, node: el("div", { class: "percentage" }, range, el("span", { class: "exact" }, exact, el("span", { class: "unit" }, "%"))) };
}

/** The share that another version decides: what it is, and how it is set. */
export function share(model, act) {
  if (!others(model).length) return nothing("There is no other version.", "Send one above; it can then decide a share of the requests.");
  const path = `/v1/models/${part(model.name)}/share`;
  const version = which(model, model.candidate ?? model.shadow, "Version");
  const asked = percentage(model.candidate ? Math.round(model.share * 1e5) / 1e3 : 5);
  const give = () => act(() => post(path, { version: version.querySelector("select").value, share: Number(asked.exact.value) / 100 }));
  const stop = el("button", { type: "button", class: "small", onclick: () => act(() => post(path, { version: null })) }, "Take the share back");
  const now = model.candidate
    ? [code(model.candidate), ` decides ${percent(model.share)} of the requests, `, code(model.active), " the others."]
    : "One version decides all requests.";
  return [
    el("p", { class: "share-now" }, now),
    el("div", { class: "sharing" }, version, asked.node, el("div", { class: "buttons" }, careful("Give it this share", give, () => asked.exact.reportValidity()), model.candidate ? stop : null)),
    el("p", { class: "soft" }, "Which version decides goes by the hash of a request's idempotency key: a key has the same version each time, and keeps it when the share grows. A request without a key goes by chance."),
  ];
}

function verdict(held) {
  if (held.error) return el("span", { class: "chip no" }, `refused: ${held.error.field || held.error.code}`);
  return [badge(held.credit), held.plan && held.plan !== "keep" ? ` by ${held.plan}` : ""];
}

function listed(found) {
  const lines = found.differences.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("a", { href: `#/decisions/${part(one.id)}` }, moment(one.at))),
      el("td", { "data-label": "decided" }, verdict(one.before)),
      el("td", { "data-label": "in the shadow" }, verdict(one.after)),
      el("td", { "data-label": "versions" }, el("span", { class: "version" }, `${short(one.version)} → ${short(one.shadow)}`)),
    ),
  );
  const head = ["Decision", "Decided", "In the shadow", "Versions"].map((one) => el("th", { scope: "col" }, one));
  const table = el("table", { class: "differing" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines));
  return el("details", { open: lines.length <= 10 }, el("summary", {}, `The latest ${lines.length} that differ`), el("div", { class: "scroll" }, table));
}

function counted(model, counts) {
  const now = counts[model.shadow] ?? 0;
  const before = Object.entries(counts).filter(([version]) => version !== model.shadow);
  const differ = (count) => `${whole(count)} ${count === 1 ? "decision differs" : "decisions differ"}`;
  return [
    model.shadow ? el("p", {}, code(model.shadow), ` decides the same requests unseen; ${differ(now)} in credit or plan.`) : null,
    before.length ? el("p", { class: "soft" }, "Earlier in the shadow: ", before.map(([version, count], place) => [place ? ", " : "", code(version), ` (${differ(count)})`]), ".") : null,
  ];
}

function found(model, answer) {
  if (!model.shadow && !answer.differences.length) return nothing("No version is in the shadow.", "Put one there to see where it would decide otherwise; nobody is answered by it.");
  return [counted(model, answer.counts), answer.differences.length ? listed(answer) : el("p", { class: "soft" }, "Nothing that was decided since differs.")];
}

/** What the shadow decides otherwise, counted and listed. */
export async function shadow(model) {
  const place = el("div", { class: "stack", role: "status" });
  const look = async () => {
    try {
      fill(place, found(model, await get(`/v1/models/${part(model.name)}/differences${query({ limit: LISTED })}`)));
    } catch (fault) {
      if (fault.status === 401) throw fault;
      fill(place, trouble(fault));
    }
  };
  await look();
  return [el("h2", {}, "In the shadow ", el("button", { type: "button", class: "small", onclick: look }, "Look again")), place];
}
