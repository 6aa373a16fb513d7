// The page: which view is shown, for which model, with which key and colours.

import { get, key, setKey } from "./api.js";
import * as decide from "./decide.js";
import * as decisions from "./decisions.js";
import { el, fill } from "./dom.js";
import * as models from "./models.js";
import * as vetoes from "./vetoes.js";
import { trouble } from "./words.js";

const VIEWS = { decide, decisions, models, vetoes };
const main = document.getElementById("main");
const dialog = document.getElementById("key-dialog");
const chooser = document.getElementById("model");
let served = [];
let turn = 0;

/** The place that the address names: a view, what follows it, and what is said after the question mark. */
function place() {
  const [path, said = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, ...rest] = path.split("/").map(decoded);
  return { view: view in VIEWS ? view : "decide", rest, said: Object.fromEntries(new URLSearchParams(said)) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function chosenModel() {
  const names = served.map((one) => one.name);
  const wanted = sessionStorage.getItem("racl-model");
  return names.includes(wanted) ? wanted : (names[0] ?? null);
}

function fillChooser() {
  const now = chosenModel();
  fill(chooser, served.map((one) => el("option", { value: one.name, selected: one.name === now }, one.label || one.name)));
  chooser.closest("label").hidden = served.length < 2;
}

async function render({ focus = false } = {}) {
  const mine = ++turn;
  const asked = place();
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.hash === `#/${asked.view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const shown = el("div", { class: `view ${asked.view}` });
  document.title = `${asked.view[0].toUpperCase()}${asked.view.slice(1)} · racl`;
  try {
    served = (await get("/v1/models")).models;
    fillChooser();
    await VIEWS[asked.view].show(shown, { ...asked, model: chosenModel(), models: served, again: render });
  } catch (fault) {
    if (mine === turn) failed(shown, fault);
  }
  if (mine !== turn) return;
  fill(main, shown);
  main.setAttribute("data-ready", String(mine));
  if (focus) main.focus();
}

function failed(shown, fault) {
  if (fault.status === undefined) console.error(fault);
  fill(shown, trouble(fault), el("button", { type: "button", onclick: () => render() }, "Try again"));
  if (fault.status === 401) askKey(key() ? "The key does not hold." : undefined);
}

function askKey(why) {
  if (why) document.getElementById("key-why").textContent = why;
  document.getElementById("key-text").value = key();
  if (!dialog.open) dialog.showModal();
}

function useKey(text) {
  if (!/^[\x21-\x7e]*$/.test(text.trim())) return askKey("A key has no spaces, and no letters beyond ASCII.");
  setKey(text.trim());
  dialog.close();
  return render();
}

const THEMES = { "": ["as the system", "◐"], light: ["light", "☀"], dark: ["dark", "☾"] };

function paint() {
  const theme = localStorage.getItem("racl-theme") ?? "";
  const [words, sign] = THEMES[theme] ?? THEMES[""];
  document.documentElement.dataset.theme = theme in THEMES ? theme : "";
  const button = document.getElementById("theme");
  button.textContent = sign;
  button.setAttribute("aria-label", `Colours: ${words}`);
}

document.getElementById("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  const now = names.indexOf(localStorage.getItem("racl-theme") ?? "");
  localStorage.setItem("racl-theme", names[(now + 1) % names.length]);
  paint();
});
document.getElementById("key").addEventListener("click", () => askKey());
document.getElementById("key-close").addEventListener("click", () => dialog.close());
document.getElementById("key-forget").addEventListener("click", () => useKey(""));
dialog.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(document.getElementById("key-text").value);
});
chooser.addEventListener("change", () => {
  sessionStorage.setItem("racl-model", chooser.value);
  render();
});
window.addEventListener("hashchange", () => render({ focus: true }));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener("unhandledrejection", (event) => {
  if (event.reason?.status === 401) askKey();
});
paint();
render();
