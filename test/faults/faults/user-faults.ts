import type { Pod } from "../../../src/api/pod.js";
import { CLONE_SETS, PODS } from "../../../src/api/resources.js";
import type { StoredObject } from "../../../src/sim/api-server/json.js";
import { askForMissingImage } from "../flows/pull-job.js";
import { endAfter, type Fault, type FaultContext, WITH_SET, WITH_STOPS } from "./fault.js";

const MERGE = "application/merge-patch+json";
export const FOREIGN_ANNOTATION = "example.com/seen-by";
const FINALIZER = "example.com/hold";

function act(name: string, begin: (context: FaultContext) => number): Fault {
  return { name, begin };
}

function onSet(name: string, begin: (context: FaultContext) => number): Fault {
  return { name, begin, flows: WITH_SET };
}

/** What users and other programs do meanwhile. */
export const USER_FAULTS: readonly Fault[] = [
  act("user-edits-again", ({ flow, cluster, shape, random }) => {
    flow.edit(cluster, { shape, version: random.between(2, 9) });
    return 0;
  }),
  act("user-rolls-back", ({ flow, cluster, shape }) => {
    flow.edit(cluster, { shape, version: 0 });
    return 0;
  }),
  {
    // Who has looked for a moment at what came of it.
    name: "user-rolls-back-late",
    flows: WITH_STOPS,
    begin: ({ cluster, flow, shape, strength }) =>
      endAfter({ cluster, strength }, [500, 5_000], () => flow.edit(cluster, { shape, version: 0 })),
  },
  act("user-edits-twice", ({ flow, cluster, shape, random }) => {
    flow.edit(cluster, { shape, version: random.between(2, 9) });
    cluster.timeline.after(random.within(1, 400), () => flow.edit(cluster, { shape, version: random.between(10, 19) }));
    return 400;
  }),
  {
    name: "user-asks-for-missing-image",
    flows: ["pull-job"],
    begin({ cluster }) {
      askForMissingImage(cluster);
      return 0;
    },
  },
  onSet("user-scales", ({ cluster, random }) => {
    for (const { metadata } of cluster.state.list(CLONE_SETS)) patchSet(cluster, metadata, { spec: { replicas: random.between(1, 6) } });
    return 0;
  }),
  onSet("user-pauses", ({ cluster, strength }) => {
    const set = (paused: boolean): void => {
      for (const { metadata } of cluster.state.list(CLONE_SETS)) patchSet(cluster, metadata, { spec: { updateStrategy: { paused } } });
    };
    set(true);
    return endAfter({ cluster, strength }, [500, 8_000], () => set(false));
  }),
  onSet("user-deletes-pod", ({ cluster, random }) => {
    const pods = livePods(cluster);
    if (pods.length === 0) return 0;
    const { namespace, name } = random.pick(pods).metadata;
    cluster.journal.add({ type: "user", action: "deletes pod", subject: name });
    cluster.state.delete(PODS, { namespace, name }, { gracePeriodSeconds: random.next() < 0.3 ? 0 : undefined });
    return 1_000;
  }),
  onSet("user-replaces-pod", ({ cluster, random }) => {
    const pods = livePods(cluster);
    if (pods.length === 0) return 0;
    const { metadata, spec } = random.pick(pods);
    const { namespace, name, labels, annotations, ownerReferences } = metadata as Pod["metadata"];
    cluster.journal.add({ type: "user", action: "deletes pod", subject: name });
    cluster.state.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 });
    if (cluster.state.list(PODS, namespace).some((pod) => pod.metadata.name === name)) return 0; // somebody's finalizer holds it
    // As `kubectl replace --force`: the same name, another pod.
    cluster.state.create(PODS, { metadata: { name, namespace, labels, annotations, ownerReferences }, spec }, namespace);
    return 1_000;
  }),
  onSet("user-deletes-set", ({ cluster, random, strength }) => {
    const propagationPolicy = strength < 0.3 ? "Orphan" : "Background";
    const sets = cluster.state.list(CLONE_SETS);
    if (sets.length === 0) return 0;
    const { namespace, name } = random.pick(sets).metadata;
    cluster.journal.add({ type: "user", action: `deletes set (${propagationPolicy})`, subject: name });
    cluster.state.delete(CLONE_SETS, { namespace, name }, { propagationPolicy });
    return 0;
  }),
  onSet("foreign-annotation", ({ cluster, random }) => {
    const pods = livePods(cluster);
    if (pods.length === 0) return 0;
    const { namespace, name, uid } = random.pick(pods).metadata;
    const body = { metadata: { annotations: { [FOREIGN_ANNOTATION]: "somebody" } } };
    cluster.journal.add({ type: "user", action: "annotates", subject: uid });
    cluster.state.patch(PODS, { namespace, name }, { contentType: MERGE, body });
    return 0;
  }),
  onSet("foreign-finalizer", ({ cluster, random, strength }) => {
    const pods = livePods(cluster);
    if (pods.length === 0) return 0;
    const { namespace, name, uid } = random.pick(pods).metadata;
    const patch = (finalizers: readonly string[] | null): void => {
      if (!cluster.state.list(PODS, namespace).some(({ metadata }) => metadata.uid === uid)) return;
      cluster.state.patch(PODS, { namespace, name }, { contentType: MERGE, body: { metadata: { finalizers } } });
    };
    patch([FINALIZER]);
    return endAfter({ cluster, strength }, [1_000, 10_000], () => patch(null));
  }),
  onSet("quota-refuses", (context) => refuseFor(context, "create-pod")),
  onSet("webhook-refuses", (context) => refuseFor(context, "change-pod")),
];

function refuseFor({ cluster, strength }: FaultContext, step: string): number {
  const stop = cluster.refuse(step, { type: "refuse", code: 403, reason: "Forbidden" });
  return endAfter({ cluster, strength }, [500, 10_000], stop);
}

function livePods({ state }: FaultContext["cluster"]): readonly StoredObject[] {
  return state.list(PODS).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

function patchSet({ state, journal }: FaultContext["cluster"], { namespace, name }: StoredObject["metadata"], body: object): void {
  journal.add({ type: "user", action: `changes set ${JSON.stringify(body)}`, subject: name });
  state.patch(CLONE_SETS, { namespace, name }, { contentType: MERGE, body });
}
