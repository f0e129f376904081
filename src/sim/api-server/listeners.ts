import type { ChangeRecord } from "./database.js";
import { valueAt } from "./json.js";
import type { ServedKind } from "./served-kinds.js";

/** Fields by which so many watch one object each that telling all of them of every change would be the model's main work. */
const INDEXED_FIELDS = ["metadata.name", "spec.nodeName"] as const;

/** Which changes somebody wants to hear of: those of a kind, of objects that have or had this value in a field. */
export interface Interest {
  readonly kind: ServedKind;
  readonly field?: { readonly path: (typeof INDEXED_FIELDS)[number]; readonly value: string } | undefined;
}

type Listener = (record: ChangeRecord) => void;

/** Who is told of which changes. A change costs only what those cost who are told. */
export class Listeners {
  readonly #byTopic = new Map<string, Set<Listener>>();

  /** @param interest undefined: every change. @returns the function that ends it */
  add(interest: Interest | undefined, listener: Listener): () => void {
    const topic = interest === undefined ? ALL : topicOf(interest);
    const listeners = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byTopic.get(topic) === listeners) this.#byTopic.delete(topic);
    };
  }

  tell(record: ChangeRecord): void {
    // Whoever begins to listen because of a change hears of it another way.
    for (const listener of topicsOf(record).flatMap((topic) => [...(this.#byTopic.get(topic) ?? [])])) listener(record);
  }
}

const ALL = "";

function topicOf({ kind, field }: Interest): string {
  const name = `${kind.group}/${kind.plural}`;
  return field === undefined ? name : `${name} ${field.path}=${field.value}`;
}

function topicsOf({ kind, object, before }: ChangeRecord): readonly string[] {
  const topics = new Set([ALL, topicOf({ kind })]);
  for (const path of INDEXED_FIELDS) {
    for (const state of before === undefined ? [object] : [object, before]) {
      const value = valueAt(state, path);
      if (typeof value === "string") topics.add(topicOf({ kind, field: { path, value } }));
    }
  }
  return [...topics];
}

/** The narrowest interest that holds everything a field selector asks for. */
export function interestOf(kind: ServedKind, fieldSelector: string): Interest {
  for (const term of fieldSelector.split(",")) {
    const [, path, value] = /^([^=!]+)==?([^=].*)$/.exec(term) ?? [];
    const indexed = INDEXED_FIELDS.find((field) => field === path);
    if (indexed !== undefined && value !== undefined) return { kind, field: { path: indexed, value } };
  }
  return { kind };
}
