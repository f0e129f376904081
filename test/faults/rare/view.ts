import type { NodePodRestart, RestartRequest, RestartResult } from "../../../src/api/node-pod-restart.js";
import type { StoredObject } from "../../../src/sim/api-server/json.js";
import { Instances } from "../invariants/containers.js";
import { type ObjectEntry, ObjectHistory, type StepEntry, uidOf } from "../invariants/history.js";
import type { Entry, Phase } from "../journal.js";

export type ContainerEntry = Extract<Entry, { readonly type: "container" }>;

/** A stop request, or a result, at the moment when a version of a node's object first shows it. */
export interface Shown<T> {
  readonly atMs: number;
  readonly node: string;
  readonly value: T;
}

/** A journal sorted by what its entries are. */
export class View {
  readonly entries: readonly Entry[];
  readonly pods = new ObjectHistory("pods", uidOf);
  readonly instances = new Instances();
  readonly #steps = new Map<string, StepEntry[]>();
  readonly #objects = new Map<string, ObjectEntry[]>();
  readonly #bornAtMs = new Map<string, number>();
  readonly #endedAtMs = new Map<string, number>();

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
    for (const entry of entries) this.#add(entry);
  }

  steps(step: string, phase: Phase): readonly StepEntry[] {
    return this.#steps.get(`${step} ${phase}`) ?? [];
  }

  objects(plural: string): readonly ObjectEntry[] {
    return this.#objects.get(plural) ?? [];
  }

  get lives(): Iterable<string> {
    return this.#bornAtMs.keys();
  }

  bornAtMs(actor: string): number {
    return this.#bornAtMs.get(actor) ?? Number.POSITIVE_INFINITY;
  }

  endedAtMs(actor: string): number {
    return this.#endedAtMs.get(actor) ?? Number.POSITIVE_INFINITY;
  }

  /** True if the life never got an answer to that step. */
  isUnanswered({ actor, step, subject, atMs }: StepEntry): boolean {
    return !this.steps(step, "received").some((answer) => answer.actor === actor && answer.subject === subject && answer.atMs >= atMs);
  }

  /** Stop requests, each once. */
  stopRequests(): readonly Shown<RestartRequest>[] {
    const requests = (object: NodePodRestart): readonly RestartRequest[] => object.spec.podRestarts?.flatMap((pod) => pod.requests) ?? [];
    return this.#shown(
      (object) => requests(object).filter(({ observe }) => observe !== true),
      ({ id }) => id,
    );
  }

  /** Results, each once with every phase. */
  results(): readonly Shown<RestartResult>[] {
    const results = (object: NodePodRestart): readonly RestartResult[] =>
      object.status?.podRestartStatuses?.flatMap((pod) => pod.results ?? []) ?? [];
    return this.#shown(results, ({ id, phase, reason }) => `${id} ${phase} ${String(reason)}`);
  }

  #shown<T>(read: (object: NodePodRestart) => readonly T[], keyOf: (value: T) => string): readonly Shown<T>[] {
    const seen = new Set<string>();
    return this.objects("nodepodrestarts").flatMap(({ atMs, object }) =>
      read(asNodeObject(object)).flatMap((value) => {
        const key = `${object.metadata.uid} ${keyOf(value)}`;
        if (seen.has(key)) return [];
        seen.add(key);
        return [{ atMs, node: object.metadata.name, value }];
      }),
    );
  }

  #add(entry: Entry): void {
    this.pods.add(entry);
    this.instances.add(entry);
    if (entry.type === "step") put(this.#steps, `${entry.step} ${entry.phase}`, entry);
    if (entry.type === "object") put(this.#objects, entry.plural, entry);
    if (entry.type !== "life") return;
    (entry.change === "starts" ? this.#bornAtMs : this.#endedAtMs).set(entry.actor, entry.atMs);
  }
}

export function asNodeObject(object: StoredObject): NodePodRestart {
  return object as unknown as NodePodRestart;
}

function put<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** A state that few runs come to, and that is worth coming to. */
export interface RareState {
  readonly name: string;
  isIn(view: View): boolean;
}
