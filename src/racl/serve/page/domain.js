// A domain as its model file has it, read for the page.

/** Every column, the candidate's first: a short form has the type alone. */
export function columns(domain) {
  const side = (section, context) =>
    Object.entries(domain[section] ?? {}).map(([name, said]) => ({
      name,
      context,
      ...(typeof said === "string" ? { type: said } : said),
    }));
  return [...side("candidate", false), ...side("context", true)];
}

/** The names of the repairs, each with its label. */
export function repairs(domain) {
  return Object.entries(domain.repairs ?? {}).map(([name, said]) => ({ name, label: said.label ?? "" }));
}

/** The personas that preference is kept for. */
export function personaColumn(domain) {
  const said = domain.rule?.persona;
  if (said !== undefined) return said;
  return domain.context && "persona" in domain.context ? "persona" : null;
}

export function personas(domain) {
  const name = personaColumn(domain);
  return columns(domain).find((one) => one.name === name)?.values ?? [];
}

/** A value to begin with. */
export function beginning(column) {
  if (column.default !== undefined) return column.default;
  if (column.type === "boolean") return false;
  if (column.type === "category") return column.values[0];
  return Math.max(column.min ?? 0, Math.min(0, column.max ?? 0));
}
