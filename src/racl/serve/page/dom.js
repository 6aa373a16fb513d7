// Elements, made from names and texts alone: nothing that comes from elsewhere is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(3).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
}

/** An element of the page. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** An element of a drawing. */
export function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** Text in which what stands between backticks is code. */
export function marked(text) {
  return text.split("`").map((one, number) => (number % 2 ? el("code", {}, one) : one));
}

/** Puts this, and nothing else, into a node. */
export function fill(node, ...children) {
  node.replaceChildren();
  return filled(node, {}, children);
}

/** A drawing with words for those who do not see it. */
export function picture(label, attributes, ...children) {
  return draw("svg", { role: "img", "aria-label": label, ...attributes }, ...children);
}

/** Calls a function a little later, and only the last time of many. */
export function later(act, wait = 120) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), wait);
  };
}

/** Lets only the last of many answers through. */
export function latest(act) {
  let number = 0;
  return async (...given) => {
    const mine = ++number;
    const found = await act(...given).then(
      (answer) => ({ answer }),
      (fault) => ({ fault }),
    );
    return mine === number ? found : { old: true };
  };
}
