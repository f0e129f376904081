import { readFileSync } from "node:fs";
import type { KubeObject, StringMap } from "../../src/api/meta.js";
import type { ControllerRevision, Pod } from "../../src/api/pod.js";
import type { CloneSet } from "../../src/api/clone-set.js";

/** What other programs could see of one rollout, without names, times and IDs that differ in every run. */
export interface Story {
  readonly revisions: readonly ToldRevision[];
  readonly pods: readonly ToldPod[];
  readonly events: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
  /** The CloneSet's last status. */
  readonly status: unknown;
}

export interface ToldRevision {
  readonly name: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly ownerReferences?: unknown;
  readonly revision: number;
  readonly data: unknown;
}

/** One pod from its creation on, in the order in which pods were created. */
export interface ToldPod {
  readonly generateName?: string;
  readonly ownerReferences?: unknown;
  readonly readinessGates: readonly string[];
  /** Each state of labels and annotations, without repetitions. */
  readonly metadata: readonly { readonly labels: StringMap; readonly annotations: StringMap }[];
  /** Each state of the condition InPlaceUpdateReady, without repetitions. */
  readonly condition: readonly { readonly status: string; readonly reason?: string }[];
  readonly wasDeleted: boolean;
}

/** Collects a story from the states of objects as they come. */
export class StoryTeller {
  readonly #revisions = new Map<string, ControllerRevision>();
  readonly #pods = new Map<string, Pod[]>();
  readonly #events: { type: string; reason: string; message: string }[] = [];
  #status: unknown;

  see(kind: string, object: KubeObject): void {
    if (kind === "ControllerRevision" && !this.#revisions.has(object.metadata.name)) {
      this.#revisions.set(object.metadata.name, object as ControllerRevision);
    }
    if (kind === "CloneSet") this.#status = (object as CloneSet).status;
    if (kind !== "Pod") return;
    const states = this.#pods.get(object.metadata.name) ?? [];
    this.#pods.set(object.metadata.name, [...states, object as Pod]);
  }

  seeEvent({ type, reason, message }: { readonly type: string; readonly reason: string; readonly message: string }): void {
    this.#events.push({ type, reason, message });
  }

  tell(): Story {
    const story: Story = {
      revisions: [...this.#revisions.values()].map(({ metadata, revision, data }) => ({
        name: metadata.name,
        labels: metadata.labels ?? {},
        annotations: metadata.annotations ?? {},
        ownerReferences: metadata.ownerReferences,
        revision,
        data,
      })),
      pods: [...this.#pods.values()].map(tellPod),
      events: this.#events,
      status: this.#status,
    };
    const plain = this.#withoutIds(story);
    const pods = plain.pods.map((pod) => ({
      ...pod,
      metadata: withoutRepetitions(pod.metadata),
      condition: withoutRepetitions(pod.condition),
    }));
    return { ...plain, pods };
  }

  #withoutIds(story: Story): Story {
    const names = [...this.#pods.keys()];
    return transformTexts(story, (text) => {
      const plain = text
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>")
        .replace(/sha256:[0-9a-f]{64}/g, "<digest>")
        .replace(/containerd:\/\/[-\w]+/g, "<container>")
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|set-uid/g, "<uid>");
      return names.reduce((result, name, index) => {
        const id = name.slice(name.lastIndexOf("-") + 1);
        return result === id ? `<id ${index}>` : result.replaceAll(name, `<pod ${index}>`);
      }, plain);
    });
  }
}

function tellPod(states: readonly Pod[]): ToldPod {
  const [first] = states;
  const conditions = states.flatMap((pod) => pod.status?.conditions?.filter(({ type }) => type === "InPlaceUpdateReady") ?? []);
  return {
    ...(first?.metadata.generateName === undefined ? {} : { generateName: first.metadata.generateName }),
    ownerReferences: first?.metadata.ownerReferences,
    readinessGates: first?.spec.readinessGates?.map(({ conditionType }) => conditionType) ?? [],
    metadata: states.map(({ metadata }) => ({ labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} })),
    condition: conditions.map(({ status, reason }) => ({ status, ...(reason === undefined ? {} : { reason }) })),
    wasDeleted: states.some(({ metadata }) => metadata.deletionTimestamp !== undefined),
  };
}

/** The same list without entries that equal the one before them. */
export function withoutRepetitions<T>(list: readonly T[]): readonly T[] {
  return list.filter((entry, index) => index === 0 || canonical(entry) !== canonical(list[index - 1]));
}

/** The value with every text replaced. */
export function transformTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => transformTexts(entry, change)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]: [string, unknown]) => [key, transformTexts(entry, change)])) as T;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) =>
    typeof entry === "object" && entry !== null && !Array.isArray(entry) ? Object.fromEntries(Object.entries(entry).sort()) : entry,
  );
}

interface RecordedLine {
  readonly kind?: string;
  readonly name?: string;
  readonly object?: KubeObject;
  readonly changed?: Readonly<Record<string, unknown>>;
  readonly event?: { readonly type: string; readonly reason: string; readonly message: string; readonly component: string };
}

/** A recording of a running OpenKruise, read back. */
export interface Recording {
  readonly story: Story;
  /** The CloneSet as the user's change left it, in version v1alpha1, from first to last. */
  readonly specs: readonly CloneSet["spec"][];
}

/** Reads a recording of test/golden/recordings. */
export function readRecording(name: string): Recording {
  const text = readFileSync(new URL(`../golden/recordings/${name}.jsonl`, import.meta.url), "utf8");
  const teller = new StoryTeller();
  const objects = new Map<string, KubeObject>();
  const specs: CloneSet["spec"][] = [];
  for (const line of text.trim().split("\n")) {
    const { kind, name: objectName, object, changed, event } = JSON.parse(line) as RecordedLine;
    if (event?.component === "cloneset-controller") teller.seeEvent(event);
    const key = `${kind ?? ""}/${objectName ?? ""}`;
    const state = object ?? applyPointers(objects.get(key), changed ?? {});
    if (state === undefined || kind === undefined || event !== undefined) continue;
    objects.set(key, state);
    if (kind === "CloneSet(v1alpha1)") specs.push((state as CloneSet).spec);
    teller.see(kind.replace("CloneSet(v1alpha1)", "CloneSet"), state);
  }
  return { story: teller.tell(), specs: withoutRepetitions(specs) };
}

function applyPointers(object: KubeObject | undefined, changed: Readonly<Record<string, unknown>>): KubeObject | undefined {
  if (object === undefined) return undefined;
  const copy = structuredClone(object);
  for (const [pointer, value] of Object.entries(changed)) {
    const path = pointer
      .slice(1)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    setAt(copy as unknown as Record<string, unknown>, path, value);
  }
  return copy;
}

function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = "", ...rest] = path;
  if (rest.length > 0) setAt((target[first] ??= {}) as Record<string, unknown>, rest, value);
  else if (value === null) delete target[first];
  else target[first] = value;
}
