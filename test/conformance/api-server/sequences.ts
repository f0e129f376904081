import fc from "fast-check";
import {
  cloneSet,
  type Json,
  JSON_PATCH,
  MERGE,
  nodeImage,
  nodePodRestart,
  PATHS,
  pod,
  SET_SPEC,
  SET_STATUS,
  STRATEGIC,
} from "./requests.js";
import type { ApiReply, ApiRequest } from "./subjects.js";

/** What a step needs to know of a kind: where it is, objects of it, and changes, good and bad. */
interface SequenceKind {
  readonly path: string;
  readonly isBuiltIn: boolean;
  readonly bodies: readonly Json[];
  readonly changes: readonly Json[];
  readonly statuses: readonly Json[];
}

const stopped = { id: "r1", container: "a", containerID: "containerd://x" };
const asked = (requests: readonly unknown[]): Json => ({ namespace: "a", name: "b", uid: "u", requests });
const condition = (status: string): Json => ({ type: "podmend.io/Test", status });

const KINDS = {
  pods: {
    path: PATHS.pods,
    isBuiltIn: true,
    bodies: [pod(), pod({ nodeName: "n1" }), pod({ nodeName: "n1", terminationGracePeriodSeconds: 5 }), pod({ restartPolicy: "Never" })],
    changes: [
      { spec: { activeDeadlineSeconds: 50 } },
      { spec: { activeDeadlineSeconds: 60 } },
      { spec: { terminationGracePeriodSeconds: 7 } },
      { spec: { tolerations: [{ key: "a", operator: "Exists" }] } },
      { spec: { hostname: "other" } },
    ],
    statuses: [{ phase: "Running", conditions: [condition("True")] }, { phase: "Succeeded" }, { conditions: [condition("False")] }],
  },
  cloneSets: {
    path: PATHS.cloneSets,
    isBuiltIn: false,
    bodies: [cloneSet(SET_SPEC), cloneSet({ ...SET_SPEC, replicas: 2, odd: true }), cloneSet({ ...SET_SPEC, replicas: -1 })],
    changes: [
      { spec: { replicas: 2 } },
      { spec: { replicas: null } },
      { spec: { replicas: -3 } },
      { spec: { updateStrategy: { partition: "30%", paused: true } } },
      { spec: { selector: { matchLabels: { app: "b" } } } },
      { spec: { template: { metadata: { annotations: { a: "1" } } } } },
      { spec: { odd: 1 } },
    ],
    statuses: [SET_STATUS, { ...SET_STATUS, readyReplicas: 0, odd: 1 }, { replicas: 1 }],
  },
  nodeImages: {
    path: PATHS.nodeImages,
    isBuiltIn: false,
    bodies: [nodeImage({}), nodeImage({ app: { tags: [{ tag: "v1" }] } }), nodeImage({ app: {} })],
    changes: [
      { spec: { images: { app: { tags: [{ tag: "v2", version: 1 }] } } } },
      { spec: { images: { app: null } } },
      { spec: { images: { app: { tags: [{ tag: "v2" }, { tag: "v2" }] } } } },
    ],
    statuses: [{ desired: 1 }, { desired: 1, imageStatuses: { app: { tags: [{ tag: "v1", phase: "Pulling" }] } } }, { pulling: 1 }],
  },
  nodePodRestarts: {
    path: PATHS.nodePodRestarts,
    isBuiltIn: false,
    bodies: [nodePodRestart([]), nodePodRestart([asked([stopped])]), nodePodRestart([asked([{ id: "r1", container: "a" }])])],
    changes: [
      { spec: { podRestarts: [asked([stopped, { ...stopped, id: "r2" }])] } },
      { spec: { podRestarts: [asked([stopped, stopped])] } },
      { spec: { podRestarts: [] } },
    ],
    statuses: [
      { observedGeneration: 1 },
      { podRestartStatuses: [{ uid: "u", results: [{ id: "r1", phase: "Stopped" }] }] },
      { observedGeneration: "x" },
    ],
  },
  configMaps: {
    path: PATHS.configMaps,
    isBuiltIn: true,
    bodies: [{ metadata: {}, data: { a: "1" } }, { metadata: {} }],
    changes: [{ data: { b: "2" } }, { data: { a: null } }, { data: { a: "1" } }],
    statuses: [{ phase: "None" }],
  },
} as const satisfies Readonly<Record<string, SequenceKind>>;

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];

/** Which version of an object a step names. */
type Version = "none" | "last" | "old" | "wrong";

/** One step of a sequence, without what only the server can know. */
export interface Step {
  readonly verb: "create" | "get" | "list" | "merge" | "json" | "strategic" | "replace" | "status" | "replaceStatus" | "delete" | "release";
  readonly kind: KindName;
  readonly name: "x" | "y";
  /** Picks one of a kind's bodies, changes or statuses. */
  readonly pick: number;
  readonly isIn: boolean;
  readonly hasFinalizer: boolean;
  readonly version: Version;
  readonly graceSeconds: number | undefined;
  readonly isDry: boolean;
}

const rarely = (): fc.Arbitrary<boolean> => fc.integer({ min: 0, max: 7 }).map((value) => value === 0);

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom(
    ...(["create", "create", "create", "get", "list", "merge", "merge", "json", "strategic", "replace"] as const),
    ...(["status", "status", "replaceStatus", "delete", "delete", "release"] as const),
  ),
  kind: fc.constantFrom(...KIND_NAMES),
  name: fc.constantFrom("x", "y"),
  pick: fc.nat(99),
  isIn: fc.boolean(),
  hasFinalizer: fc.integer({ min: 0, max: 3 }).map((value) => value === 0),
  version: fc.constantFrom("none", "none", "last", "last", "old", "wrong"),
  graceSeconds: fc.constantFrom(undefined, undefined, 0, 3, 40),
  isDry: rarely(),
});

/** Something must be there. */
const FIRST = { verb: "create", pick: 0, isIn: true, hasFinalizer: false, version: "none", graceSeconds: undefined, isDry: false } as const;

/** What sequences leave out because the model is known to differ, and why that is left so. */
export const LEFT_OUT: readonly { readonly what: string; readonly reason: string }[] = [
  {
    what: "labels in a write of the status of a custom resource, and a PUT of one with a status of a wrong type",
    reason: "the real server stores a new version for who owns which field alone (managedFields), which is not modelled",
  },
  {
    what: "fields that no built-in kind has",
    reason: "the real server drops them, or refuses the object; the model has no schemas of built-in kinds and keeps them",
  },
  {
    what: "apply patches",
    reason: "field ownership is not modelled, and nothing in src applies: the model answers 415 with the types that work",
  },
  {
    what: "continue tokens that nobody gave",
    reason: "the real server tells where its decoder stopped: 400 alike, in other words",
  },
  {
    what: "what admission plug-ins add to pods: service account, tolerations, priority",
    reason: "they are switched off in the real server, too: they depend on objects that the model does not have",
  },
  {
    what: "foreground deletion, and versions that are served but not stored",
    reason: "nothing of ours uses them",
  },
  {
    what: "clients without a token",
    reason:
      "the real server takes them for system:anonymous (403), the model refuses them (401), as a server without anonymous requests does",
  },
];

/** The same sequences for the same seed; each of them stays with one kind or two, so that its steps meet. */
export function makeSequences(seed: number, count: number): readonly (readonly Step[])[] {
  const sequence = fc
    .tuple(fc.constantFrom(...KIND_NAMES), fc.constantFrom(...KIND_NAMES), fc.array(step, { minLength: 8, maxLength: 16 }))
    .map(([first, second, steps]) => [
      ...(["x", "y"] as const).map((name, index): Step => ({ ...FIRST, name, kind: index === 0 ? first : second })),
      ...steps.map((one, index): Step => ({ ...one, kind: index % 4 === 3 ? second : first })),
    ]);
  return fc.sample(sequence, { seed, numRuns: count });
}

/** What one server has answered about the objects of one sequence. */
export class Memory {
  readonly #versions = new Map<string, Json[]>();

  see(path: string, { status, body }: ApiReply): void {
    if (status >= 300 || typeof body !== "object" || body === null || !("metadata" in body) || "items" in body) return;
    if ((body as Json)["kind"] === "Status") return;
    this.#versions.set(path, [...(this.#versions.get(path) ?? []), body]);
  }

  last(path: string): Json | undefined {
    return this.#versions.get(path)?.at(-1);
  }

  versionOf(path: string, version: Version): object {
    const seen = this.#versions.get(path) ?? [];
    const object = version === "last" ? seen.at(-1) : version === "old" ? seen[0] : undefined;
    if (version === "wrong") return { resourceVersion: "1" };
    const { resourceVersion } = (object?.["metadata"] ?? {}) as { readonly resourceVersion?: string };
    return resourceVersion === undefined ? {} : { resourceVersion };
  }
}

/** The sequence's own objects: their names, and the label by which they are listed and watched. */
export interface SequencePlace {
  readonly id: string;
}

export function collectionPath(kind: KindName): string {
  return KINDS[kind].path;
}

export function objectPath({ id }: SequencePlace, kind: KindName, name: string): string {
  return `${KINDS[kind].path}/${id}-${name}`;
}

export function selectorOf({ id }: SequencePlace, isIn: boolean): string {
  return `labelSelector=${encodeURIComponent(`sequence=${id}${isIn ? ",in=yes" : ""}`)}`;
}

/** A step as a request to one server. @returns undefined where the step makes no sense there */
export function requestOf(one: Step, place: SequencePlace, memory: Memory): ApiRequest | undefined {
  const path = objectPath(place, one.kind, one.name);
  const request = writeOf(one, place, memory) ?? readOf(one, place);
  // In a deletion the body tells.
  return request === undefined || !one.isDry || request.method === "GET" || request.method === "DELETE"
    ? request
    : { ...request, path: `${request.path}${request.path === path || !request.path.includes("?") ? "?" : "&"}dryRun=All` };
}

function readOf({ verb, kind, name, isIn, pick }: Step, place: SequencePlace): ApiRequest | undefined {
  if (verb === "get") return { method: "GET", path: objectPath(place, kind, name) };
  if (verb !== "list") return undefined;
  const limit = pick % 3 === 0 ? "&limit=1" : "";
  return { method: "GET", path: `${KINDS[kind].path}?${selectorOf(place, isIn)}${limit}` };
}

function writeOf(one: Step, place: SequencePlace, memory: Memory): ApiRequest | undefined {
  const kind: SequenceKind = KINDS[one.kind];
  const path = objectPath(place, one.kind, one.name);
  const chosen = <T>(list: readonly T[]): T => list[one.pick % list.length] as T;
  const labels = { sequence: place.id, in: one.isIn ? "yes" : "no" };
  const metadata = { labels, ...memory.versionOf(path, one.version) };
  const patch = (body: unknown, contentType: string, subresource = ""): ApiRequest => ({
    method: "PATCH",
    path: `${path}${subresource}`,
    body,
    contentType,
  });
  switch (one.verb) {
    case "create": {
      const finalizers = one.hasFinalizer ? { finalizers: ["podmend.io/test"] } : {};
      return {
        method: "POST",
        path: kind.path,
        body: { ...chosen(kind.bodies), metadata: { name: `${place.id}-${one.name}`, labels, ...finalizers } },
      };
    }
    case "merge":
      return patch({ metadata, ...chosen(kind.changes) }, MERGE);
    case "json":
      return patch([{ op: one.pick % 2 === 0 ? "add" : "test", path: "/metadata/labels/in", value: labels.in }], JSON_PATCH);
    case "strategic":
      return kind.isBuiltIn ? patch({ metadata, ...strategic(one) }, STRATEGIC) : undefined;
    case "status":
      return patch({ metadata: memory.versionOf(path, one.version), status: chosen(kind.statuses) }, MERGE, "/status");
    case "release":
      return patch({ metadata: { finalizers: null } }, MERGE);
    case "replace":
    case "replaceStatus":
      return replacement(one, memory.last(path), { path, metadata, kind, pick: one.pick });
    case "delete":
      return { method: "DELETE", path, body: deletion(one, memory, path) };
    default:
      return undefined;
  }
}

function strategic({ kind, pick }: Step): Json {
  return kind === "pods" ? { spec: { containers: [{ name: "a", image: `a:${String(pick % 3)}` }] } } : { data: { c: String(pick) } };
}

interface Replacement {
  readonly path: string;
  readonly metadata: Json;
  readonly kind: SequenceKind;
  readonly pick: number;
}

function replacement(one: Step, last: Json | undefined, { path, metadata, kind, pick }: Replacement): ApiRequest | undefined {
  if (last === undefined) return undefined;
  const meta = Object.entries(last["metadata"] as Json).filter(([name]) => name !== "resourceVersion");
  const whole = { ...last, metadata: { ...Object.fromEntries(meta), ...metadata } };
  const status = kind.statuses[pick % kind.statuses.length];
  if (one.verb === "replaceStatus") return { method: "PUT", path: `${path}/status`, body: { ...whole, status } };
  const { data } = kind.changes[pick % kind.changes.length] ?? {};
  if (one.kind === "configMaps") return { method: "PUT", path, body: { ...whole, data: withoutNulls(data as Json) } };
  return { method: "PUT", path, body: { ...whole, status: kind.statuses[0] } };
}

function withoutNulls(data: Json): Json {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}

function deletion({ version, graceSeconds, pick, isDry }: Step, memory: Memory, path: string): Json {
  const { uid } = (memory.last(path)?.["metadata"] ?? {}) as { readonly uid?: string };
  const wanted = pick % 3 === 0 && uid !== undefined ? { uid } : memory.versionOf(path, version);
  return {
    ...(Object.keys(wanted).length === 0 ? {} : { preconditions: wanted }),
    ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    ...(isDry ? { dryRun: ["All"] } : {}),
  };
}
