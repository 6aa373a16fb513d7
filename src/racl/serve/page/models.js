// Models: which version decides, what it prefers, how it was learned, and two of them compared.

import { ask, get, part, post } from "./api.js";
import { careful } from "./careful.js";
import { el, fill } from "./dom.js";
import { compare } from "./compare.js";
import { fitted, learned } from "./record.js";
import { shadow, share } from "./trials.js";
import { weights } from "./weights.js";
import { moment, nothing, percent, short, trouble } from "./words.js";

function roles(model, version) {
  const found = [];
  if (version.version === model.active) found.push(el("span", { class: "chip plan" }, "active"));
  if (version.version === model.shadow) found.push(el("span", { class: "chip" }, "in the shadow"));
  if (version.version === model.candidate) found.push(el("span", { class: "chip ok" }, `decides ${percent(model.share)}`));
  return found;
}

function versionsTable(model, act) {
  const path = `/v1/models/${part(model.name)}`;
  const lines = [...model.versions].reverse().map((one) => {
    const said = { version: one.version };
    const active = one.version === model.active;
    const buttons = active
      ? [careful("Go back", () => act(() => post(`${path}/rollback`, {})))]
      : [
          careful("Activate", () => act(() => post(`${path}/activate`, said))),
          one.version === model.shadow
            ? el("button", { type: "button", class: "small", onclick: () => act(() => post(`${path}/shadow`, { version: null })) }, "Out of the shadow")
            : el("button", { type: "button", class: "small", onclick: () => act(() => post(`${path}/shadow`, said)) }, "Into the shadow"),
        ];
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, el("code", { title: one.version }, short(one.version)), " ", roles(model, one)),
      el("td", { "data-label": "since" }, moment(one.registered)),
      el("td", { "data-label": "learned" }, learned(one.fit)),
      el("td", {}, el("div", { class: "buttons" }, buttons)),
    );
  });
  const head = ["Version", "Registered", "Learned", ""].map((one) => el("th", { scope: "col" }, one));
  return el("table", { class: "versions" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines));
}

function upload(act) {
  const input = el("input", { type: "file", accept: ".json,application/json", id: "model-file" });
  const send = async () => {
    if (input.files.length) await act(async () => ask("POST", "/v1/models", await input.files[0].text()));
  };
  return el(
    "div",
    { class: "upload" },
    el("label", { for: "model-file" }, "A model file as a new version"),
    input,
    el("button", { type: "button", onclick: send }, "Send"),
    el("p", { class: "soft" }, "A new version decides nothing until it is activated; the first of a domain does at once."),
  );
}

export async function show(main, state) {
  const place = el("div", { role: "status" });
  const act = async (change) => {
    try {
      await change();
      await state.again();
    } catch (fault) {
      fill(place, trouble(fault));
    }
  };
  const sending = el("section", { class: "card" }, upload(act));
  if (!state.model) return fill(main, el("h1", {}, "Models"), place, nothing("No model is served.", "Send the first one here."), sending);
  const model = state.models.find((one) => one.name === state.model);
  const chosen = state.said.version && model.versions.some((one) => one.version === state.said.version) ? state.said.version : model.active;
  const file = await get(`/v1/models/${part(model.name)}/versions/${part(chosen)}`);
  const which = el(
    "select",
    { id: "shown-version", onchange: (event) => (location.hash = `#/models?version=${event.target.value}`) },
    [...model.versions].reverse().map((one) => el("option", { value: one.version, selected: one.version === chosen }, `${short(one.version)}${one.active ? " (active)" : ""}`)),
  );
  return fill(
    main,
    el("h1", {}, "Models ", el("small", {}, model.label || model.name)),
    place,
    el("section", { class: "card" }, el("h2", {}, "Versions"), el("div", { class: "scroll" }, versionsTable(model, act)), upload(act)),
    el("section", { class: "card shadow" }, await shadow(model)),
    el("section", { class: "card share" }, el("h2", {}, "A share of the requests"), share(model, act)),
    el("p", { class: "which-version" }, el("label", { for: "shown-version" }, "What follows is of version "), which),
    el("section", { class: "card" }, el("h2", {}, "Weights by persona"), weights(file.document)),
    el("section", { class: "card" }, el("h2", {}, "How it was learned"), fitted(file.document.fit ?? {})),
    el("section", { class: "card" }, el("h2", {}, "Two versions on what was logged"), compare(model)),
  );
}
