import type { Invariant } from "../../../faults/invariants/invariant.js";
import type { Entry, Happening, Phase } from "../../../faults/journal.js";
import type { Plan } from "../../../faults/plan/plan.js";
import type { JsonObject, StoredObject } from "../../../../src/sim/api-server/json.js";
import { DEFAULT_PROGRAM, type SimContainer } from "../../../../src/sim/runtime/entities.js";

export const PLAN: Plan = {
  seed: 1,
  flow: "env-update",
  shape: {
    nodeCount: 1,
    podCount: 2,
    maxUnavailable: 1,
    graceSeconds: 0,
    hasPreStop: false,
    isSeasoned: false,
    nodeDistanceMs: 0,
    hasSkewedClocks: false,
  },
  faults: [],
};

export const AGENT = "agent-node-1#1";
export const CONTROLLER = "controller-1#1";

/** The names of the invariants that a journal breaks; each once. */
export function broken(invariant: Invariant, entries: readonly Entry[], plan: Plan = PLAN): readonly string[] {
  return [...new Set(invariant.check(entries, plan).map((violation) => violation.invariant))];
}

/** Hand-written entries, each an hour of writing shorter than a run. */
export function at(atMs: number, happening: Happening): Entry {
  return { atMs, ...happening };
}

/** `words`: life, step and subject, then what was answered. */
export function step(
  atMs: number,
  phase: Phase,
  ...words: readonly [actor: string, step: string, subject: string, outcome?: string]
): Entry {
  const [actor, name, subject, outcome] = words;
  return at(atMs, { type: "step", phase, actor, step: name, subject, ...(outcome === undefined ? {} : { outcome }) });
}

/** A stored version; its revision is its time. */
export function stored(atMs: number, plural: string, object: StoredObject, change: "ADDED" | "MODIFIED" | "DELETED" = "MODIFIED"): Entry {
  return at(atMs, { type: "object", revision: atMs, plural, change, object });
}

export function read(atMs: number, actor: string, plural: string): Entry {
  return at(atMs, { type: "delivered", actor, plural, revision: atMs });
}

export interface PodFacts {
  readonly config?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isReady?: boolean;
  readonly gate?: "True" | "False";
}

/** A pod of the flows' set; its uid is its name and `-uid`. */
export function pod(name: string, { config = "new", annotations = {}, isReady = true, gate = "True" }: PodFacts = {}): StoredObject {
  const ownerReferences = [{ uid: "set-uid", controller: true }];
  const metadata = {
    name,
    namespace: "shop",
    uid: `${name}-uid`,
    resourceVersion: "1",
    ownerReferences,
    annotations: { config, ...annotations },
  };
  const conditions = [
    { type: "Ready", status: isReady ? "True" : "False" },
    { type: "InPlaceUpdateReady", status: gate },
  ];
  return {
    metadata,
    spec: { nodeName: "node-1", containers: [{ name: "app", image: "app:v0" }] },
    status: { phase: "Running", conditions },
  };
}

export function named(name: string, members: JsonObject = {}): StoredObject {
  return { metadata: { name, uid: `${name}-uid`, resourceVersion: "1" }, ...members };
}

export function set(replicas: number, maxUnavailable = 1): StoredObject {
  return named("web", { spec: { replicas, updateStrategy: { maxUnavailable } } });
}

/** An instance of the app of pod `web-a`. */
export function app(id: string, config: string): SimContainer {
  return {
    id,
    sandboxId: "sandbox",
    name: "app",
    attempt: 0,
    state: "CONTAINER_RUNNING",
    createdAtNs: 0n,
    startedAtNs: 0n,
    finishedAtNs: 0n,
    exitCode: 0,
    reason: "",
    image: "app:v0",
    imageRef: "app:v0",
    labels: { "io.kubernetes.pod.uid": "web-a-uid" },
    annotations: {},
    envs: [{ key: "CONFIG", value: config }],
    imageEnvs: [],
    program: DEFAULT_PROGRAM,
  };
}

export function container(atMs: number, change: "created" | "started" | "ended", instance: SimContainer): Entry {
  return at(atMs, { type: "container", node: "node-1", change, container: instance });
}
