// A button for what is not done by accident.

import { el } from "./dom.js";

const SURE = 6000; // milliseconds in which a change can be confirmed

/** A button that acts when it is pressed twice; what is not `ready` does not get so far. */
export function careful(words, act, ready = () => true) {
  let armed = 0;
  const button = el("button", { type: "button", class: "small" }, words);
  button.addEventListener("click", async () => {
    if (!ready()) return undefined;
    if (Date.now() - armed < SURE) return act();
    armed = Date.now();
    button.textContent = `Really ${words.toLowerCase()}?`;
    setTimeout(() => {
      button.textContent = words;
    }, SURE);
    return undefined;
  });
  return button;
}
