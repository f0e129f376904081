import { readFileSync } from "node:fs";
import type { Condition } from "../../../src/api/meta.js";
import type { Pod } from "../../../src/api/pod.js";
import { type Entry, type Json, Trace } from "./run.js";

/** One line of a recording, as far as it is about pods. */
interface Line {
  readonly t: number;
  readonly step?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly type?: string;
  readonly object?: Pod;
  readonly changed?: Readonly<Record<string, unknown>>;
  readonly event?: { readonly reason: string; readonly component: string; readonly message: string; readonly on: string };
}

/** What others than the kubelet did to a pod, in the order of time. */
export type Deed = { readonly atMs: number; readonly pod: string } /** Something was done to the pod's owner. */ & (
  | { readonly type: "step" }
  | { readonly type: "create"; readonly object: Pod }
  | { readonly type: "patch"; readonly body: Json; readonly subresource?: "status" }
  | { readonly type: "delete"; readonly graceSeconds: number }
  | { readonly type: "stop"; readonly container: string }
);

/** A recording of a real cluster, split into causes and effects. */
export interface Recording {
  readonly deeds: readonly Deed[];
  /** What became of each pod, by name. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
}

const KUBELET_CONDITIONS = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

/** Reads a recording of test/golden/recordings. */
export function readPodRecording(name: string): Recording {
  const text = readFileSync(new URL(`../../golden/recordings/${name}.jsonl`, import.meta.url), "utf8");
  const deeds: Deed[] = [];
  const states = new Map<string, Pod | undefined>();
  const traces = new Map<string, Trace>();
  for (const line of text.trim().split("\n")) {
    const parsed = JSON.parse(line) as Line;
    if (parsed.step !== undefined) {
      deeds.push({ atMs: parsed.t, pod: "", type: "step" });
      for (const trace of traces.values()) trace.act("step", parsed.t);
    }
    const stopped = stopOf(parsed);
    if (stopped !== undefined) {
      deeds.push(stopped);
      traces.get(stopped.pod)?.act("stop", parsed.t);
    }
    if (parsed.kind !== "Pod" || parsed.name === undefined) continue;
    const before = states.get(parsed.name);
    const after = stateAfter(before, parsed);
    states.set(parsed.name, after);
    const trace = traces.get(parsed.name) ?? new Trace(parsed.t);
    traces.set(parsed.name, trace);
    const done = after === undefined ? [] : foreignDeeds(before, after, parsed.t);
    for (const { type } of done) if (type === "delete") trace.act(type, parsed.t);
    deeds.push(...done);
    trace.see(after, parsed.t);
  }
  return { deeds, entries: new Map([...traces].map(([pod, { entries }]) => [pod, entries])) };
}

/** OpenKruise's daemon tells when it stops a container. */
function stopOf({ t, event }: Line): (Deed & { readonly type: "stop" }) | undefined {
  if (event?.component !== "kruise-daemon-containermeta" || event.reason !== "Killing") return undefined;
  const container = /containerd:\/\/(\S+)/.exec(event.message)?.[1] ?? "";
  return { atMs: t, pod: /^Pod\/(\S+)/.exec(event.on)?.[1] ?? "", type: "stop", container };
}

function stateAfter(before: Pod | undefined, { type, object, changed = {} }: Line): Pod | undefined {
  if (type === "DELETED") return undefined;
  if (object !== undefined) return object;
  const copy = structuredClone(before) as unknown as Record<string, unknown>;
  for (const [pointer, value] of Object.entries(changed)) {
    const path = pointer.slice(1).split("/");
    setAt(
      copy,
      path.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")),
      value,
    );
  }
  return copy as unknown as Pod;
}

function setAt(target: Record<string, unknown>, [first = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) setAt((target[first] ??= {}) as Record<string, unknown>, rest, value);
  else if (value === null) delete target[first];
  else target[first] = value;
}

function foreignDeeds(before: Pod | undefined, after: Pod, atMs: number): readonly Deed[] {
  const pod = after.metadata.name;
  if (before === undefined) return [{ atMs, pod, type: "create", object: after }];
  const deeds: Deed[] = [];
  const body = { ...metadataPatch(before, after), ...specPatch(before, after) };
  if (Object.keys(body).length > 0) deeds.push({ atMs, pod, type: "patch", body });
  const conditions = foreignConditions(before, after);
  if (conditions.length > 0) deeds.push({ atMs, pod, type: "patch", subresource: "status", body: { status: { conditions } } });
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = after.metadata;
  if (before.metadata.deletionTimestamp === undefined && deletionTimestamp !== undefined) {
    deeds.push({ atMs, pod, type: "delete", graceSeconds: deletionGracePeriodSeconds });
  }
  return deeds;
}

function metadataPatch({ metadata: a }: Pod, { metadata: b }: Pod): Json {
  const parts = { labels: mapPatch(a.labels, b.labels), annotations: mapPatch(a.annotations, b.annotations) };
  return parts.labels === undefined && parts.annotations === undefined ? {} : { metadata: parts };
}

function mapPatch(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): Json | undefined {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key]);
  return keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, b[key] ?? null]));
}

function specPatch({ spec: a }: Pod, { spec: b }: Pod): Json {
  const containers = b.containers.filter(({ image }, index) => a.containers[index]?.image !== image);
  const images = containers.map(({ name, image }) => ({ name, image }));
  const nodeName = a.nodeName === b.nodeName ? {} : { nodeName: b.nodeName };
  if (images.length === 0 && Object.keys(nodeName).length === 0) return {};
  return { spec: { ...nodeName, ...(images.length === 0 ? {} : { containers: images }) } };
}

/** Others write conditions of their own, and OpenKruise with them Ready, when it takes a pod out of service. */
function foreignConditions(before: Pod, after: Pod): readonly Condition[] {
  const known = new Map(before.status?.conditions?.map((condition) => [condition.type, condition]));
  const changed = (after.status?.conditions ?? []).filter(({ type, status, reason }) => {
    const old = known.get(type);
    return old?.status !== status || old.reason !== reason;
  });
  const isForeign = changed.some(({ type }) => !KUBELET_CONDITIONS.includes(type));
  if (!isForeign) return [];
  return changed.filter(
    ({ type, status }) => !KUBELET_CONDITIONS.includes(type) || (type === "Ready" && status === "False" && known.has("Ready")),
  );
}
