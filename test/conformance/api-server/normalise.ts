import type { ApiEvent, ApiReply } from "./subjects.js";

type Json = Readonly<Record<string, unknown>>;

/** Makes what one API server says comparable with what another one says: only what they must choose for themselves is renamed, by order of appearance. */
export class Normaliser {
  readonly #names = new Map<string, string>();

  reply({ status, body }: ApiReply): unknown {
    return { status, body: this.#value(body, "") };
  }

  event({ type, object }: ApiEvent): unknown {
    return { type, object: this.#value(object, "") };
  }

  #value(value: unknown, name: string): unknown {
    if (Array.isArray(value)) return this.#list(value, name);
    if (typeof value === "string") return this.#text(value, name);
    if (typeof value !== "object" || value === null) return value;
    const isList = "items" in value;
    const members = Object.entries(value as Json)
      .filter(([member]) => member !== "managedFields") // who wrote which field is not modelled
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      members.map(([member, content]) => [member, this.#value(isList && member === "metadata" ? aside(content) : content, member)]),
    );
  }

  #list(items: readonly unknown[], name: string): unknown {
    const all = items.map((item) => this.#value(item, name));
    // Several problems of one object come in the order of a hash map, and some twice.
    if (name !== "causes") return all;
    return [...new Set(all.map((cause) => JSON.stringify(cause)))].sort().map((cause) => JSON.parse(cause) as unknown);
  }

  #text(text: string, name: string): string {
    if (name === "uid" || name === "resourceVersion") return this.#rename(text, name);
    if (name === "continue") return text === "" ? "" : "TOKEN";
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return "TIME";
    if (name !== "message") return text;
    return sortProblems(text.replaceAll(/[\w-]+/g, (word) => this.#names.get(word) ?? word));
  }

  #rename(text: string, name: string): string {
    if (text === "" || text === "0") return text;
    const known = this.#names.get(text) ?? `${name}-${String(this.#names.size)}`;
    this.#names.set(text, known);
    return known;
  }
}

/** A list's own version moves with whatever else is written. */
function aside(metadata: unknown): unknown {
  return Object.fromEntries(Object.entries(metadata as Json).filter(([name]) => name !== "resourceVersion"));
}

/** `X is invalid: [a, b]`, in a fixed order. */
function sortProblems(message: string): string {
  const [whole, before = "", list = ""] = /^(.* is invalid: )\[(.*)\]$/s.exec(message) ?? [];
  if (whole === undefined) return message.split("\n")[0] ?? message;
  return `${before}[${list.split(", ").sort().join(", ")}]`;
}
