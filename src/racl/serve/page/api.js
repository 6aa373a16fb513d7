// The service, asked.

const KEY = "racl-key";

/** A refusal of the service: its status, a code, words, and a pointer to the part that is wrong. */
export class Fault extends Error {
  constructor(status, { code = "none", message = "the service did not answer", field = "" } = {}) {
    super(message);
    Object.assign(this, { status, code, field });
  }
}

export function key() {
  return sessionStorage.getItem(KEY) ?? "";
}

export function setKey(text) {
  if (text) sessionStorage.setItem(KEY, text);
  else sessionStorage.removeItem(KEY);
}

/** The answer to a request; throws a Fault where there is none. */
export async function ask(method, path, body = undefined) {
  const headers = { accept: "application/json" };
  if (key()) headers.authorization = `Bearer ${key()}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const sent = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  let answer, said;
  try {
    answer = await fetch(path, { method, headers, body: sent, cache: "no-store", redirect: "error" });
    said = await answer.json();
  } catch {
    throw new Fault(answer?.status ?? 0);
  }
  if (!answer.ok) throw new Fault(answer.status, said.error);
  return said;
}

export const get = (path) => ask("GET", path);
export const post = (path, body) => ask("POST", path, body);

/** What follows the path of a request; what is empty is not said. */
export function query(said) {
  const pairs = Object.entries(said).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}

/** A name as one part of a path. */
export const part = encodeURIComponent;
