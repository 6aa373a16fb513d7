// The form of a row, made from the columns of a domain.

import { el } from "./dom.js";
import { beginning, columns } from "./domain.js";

const NUMBERS = ["number", "integer"];

function control(column, id, held, changed) {
  const common = { id, name: column.name, oninput: changed, "aria-describedby": `${id}-about ${id}-fault` };
  if (column.type === "boolean") return el("input", { ...common, type: "checkbox", checked: held === true });
  if (column.type === "category") {
    const values = column.values.includes(held) || held === undefined ? column.values : [held, ...column.values];
    const options = values.map((one) => el("option", { value: one, selected: one === held }, one));
    return el("select", common, options);
  }
  const limits = { min: column.min, max: column.max, step: column.type === "integer" ? 1 : "any" };
  const mode = column.min >= 0 ? "decimal" : undefined;
  return el("input", { ...common, type: "number", inputmode: mode, ...limits, value: held ?? "" });
}

function field(column, held, changed) {
  const id = `row-${column.name}`;
  const input = control(column, id, held, changed);
  const unit = column.unit ? el("span", { class: "unit" }, column.unit) : null;
  const label = el("label", { for: id }, column.label || column.name);
  const about = el("span", { id: `${id}-about`, class: "about" }, column.description ?? "");
  const fault = el("span", { id: `${id}-fault`, class: "wrong", role: "alert" });
  const kind = column.type === "boolean" ? "field truth" : "field";
  const box = el("div", { class: kind, title: column.name }, label, el("span", { class: "input" }, input, unit), about, fault);
  return { column, input, fault, box };
}

function read({ column, input }) {
  if (column.type === "boolean") return input.checked;
  if (!NUMBERS.includes(column.type)) return input.value;
  if (input.value.trim() === "") return null;
  return Number(input.value);
}

/** A form for one row: its node, the row in it, and a way to say what is wrong with a column. */
export function rowForm(domain, start, changed) {
  const fields = columns(domain).map((column) => field(column, start?.[column.name] ?? beginning(column), changed));
  const side = (title, context) =>
    el(
      "fieldset",
      {},
      el("legend", {}, title),
      fields.filter((one) => one.column.context === context).map((one) => one.box),
    );
  const node = el("form", { class: "row", novalidate: true }, side("Candidate", false), side("Context", true));
  const row = () => Object.fromEntries(fields.map((one) => [one.column.name, read(one)]).filter(([, held]) => held !== null));
  const blame = (pointer, message) => {
    const name = /^\/(?:row|changes)\/([^/]+)/.exec(pointer ?? "")?.[1];
    let found = false;
    for (const one of fields) {
      const mine = one.column.name === name;
      one.input.setAttribute("aria-invalid", String(mine));
      one.fault.textContent = mine ? message : "";
      found ||= mine;
    }
    return found;
  };
  return { node, row, blame };
}
