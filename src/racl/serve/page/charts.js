// The drawings of the page Vetoes; each has its figures in a table beside it.

import { draw, el, picture } from "./dom.js";
import { beginning, brief, creditWords, number, span as wide, whole } from "./words.js";

const percentOf = (share) => `${Math.round(share * 1e4) / 100}%`;

/** A share as a short bar below a figure. */
export function share(part, kind) {
  return picture(percentOf(part), { class: "bar", width: "100%", height: 6 }, draw("rect", { class: "track", width: "100%", height: 6, rx: 3 }), draw("rect", { class: kind, width: percentOf(part), height: 6, rx: 3 }));
}

function column(span, names, { place, count, most, width: seconds }) {
  let top = 1;
  const width = 1 / count;
  const parts = names.map((name) => {
    const held = (span.credits[name] ?? 0) / most;
    top -= held;
    return held ? draw("rect", { class: `fill ${name}`, x: percentOf((place + 0.1) * width), y: percentOf(top), width: percentOf(width * 0.8), height: percentOf(held) }) : null;
  });
  const words = names.filter((name) => span.credits[name]).map((name) => `${creditWords(name)}: ${whole(span.credits[name])}`);
  return draw("g", {}, draw("title", {}, [beginning(span.start, seconds), ...words].join("\n")), parts);
}

/** How many decisions had each credit, one column for each span of time. */
export function overTime(spans, names, width) {
  const sum = (span) => Object.values(span.credits).reduce((all, one) => all + one, 0);
  const most = Math.max(1, ...spans.map(sum));
  const shown = spans.map((span, place) => column(span, names, { place, count: Math.max(spans.length, 8), most, width }));
  const ends = [spans[0], spans.at(-1)].map((span) => beginning(span.start, width));
  const each = wide(width);
  return el(
    "figure",
    { class: "chart" },
    el("span", { class: "scale" }, whole(most)),
    picture(`Decisions by credit, ${spans.length} columns of ${each}, at most ${whole(most)}`, { class: "columns", width: "100%", height: 180 }, shown),
    el("figcaption", {}, el("span", {}, ends[0]), el("span", {}, `a column is ${each}`), el("span", {}, spans.length > 1 ? ends[1] : "")),
  );
}

/** How many rejections are turned by how much more budget: a line of steps. */
export function curve(points, studied, unit) {
  const far = points.at(-1).more * 1.04 || 1;
  const most = points.at(-1).turned;
  const x = (more) => (more / far) * 100;
  const y = (turned) => 100 - (turned / most) * 94;
  let path = "M0,100";
  for (const point of points) path += `H${x(point.more).toFixed(3)}V${y(point.turned).toFixed(3)}`;
  path += "H100";
  return el(
    "figure",
    { class: "chart" },
    el("span", { class: "scale" }, `${whole(most)} of ${whole(studied)}`),
    picture(
      `Up to ${whole(most)} rejections turned by up to ${number(points.at(-1).more, unit)} more budget`,
      { class: "curve", width: "100%", height: 180, viewBox: "0 0 100 100", preserveAspectRatio: "none" },
      draw("path", { class: "area", d: `${path}V100H0Z` }),
      draw("path", { class: "line", d: path, "vector-effect": "non-scaling-stroke" }),
    ),
    el("figcaption", {}, el("span", {}, "0"), el("span", {}, `more budget${unit ? `, ${unit}` : ""}`), el("span", {}, `+ ${brief(far)}`)),
  );
}
