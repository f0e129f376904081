import type { Pod } from "../../../src/api/pod.js";
import { NODES, PODS } from "../../../src/api/resources.js";
import { ApiState } from "../../../src/sim/api-server/api-state.js";
import { Kubelet } from "../../../src/sim/kubelet/kubelet.js";
import { createNodeApi } from "../../../src/sim/kubelet/node-api.js";
import { RuntimeWorld } from "../../../src/sim/runtime/runtime-world.js";
import { FakeClock } from "../../support/fake-clock.js";
import type { Deed, Recording } from "./recording.js";
import { type Entry, Trace } from "./run.js";
import { SeededRandom } from "../../support/seeded-random.js";

const NAMESPACE = "replay";
const STRATEGIC = "application/strategic-merge-patch+json";
const LAG_MS = 10;
/** After the last deed, for what follows from it. */
const TAIL_MS = 3_500;
const PROGRAM = { termExitCode: 0, stopMs: 30 };

/** What the kubelet model makes of the deeds of a recording; the seed says when in its second each kubelet looks. */
export async function replay({ deeds }: Recording, seed: number): Promise<ReadonlyMap<string, readonly Entry[]>> {
  const clock = new FakeClock();
  const random = new SeededRandom(seed, "kubelet");
  const state = new ApiState({ clock, random });
  const stopping = new AbortController();
  const running: Promise<unknown>[] = [];
  const worlds = ["node1", "node2", "node3"].map((nodeName) => {
    state.create(NODES, { metadata: { name: nodeName } });
    const world = new RuntimeWorld(clock, random);
    for (const version of ["v1", "v2", "v3"]) {
      world.images.publish({ reference: `lab.local/app:${version}`, sizeBytes: 2_272_631, latencyMs: 20, program: PROGRAM });
    }
    let pods = 0;
    const api = createNodeApi({ state, clock, nodeName, lagMs: LAG_MS });
    const kubelet = new Kubelet({ api, world, clock, random, hostIP: nodeName, nextPodIP: () => `10.244.0.${String(++pods)}` });
    clock.schedule(random.next() * 1_000, () => void running.push(kubelet.run(stopping.signal).catch((error: unknown) => error)));
    return world;
  });
  await clock.advance(5_000);
  const startMs = clock.monotonicMs();
  const traces = new Map<string, Trace>();
  state.database.subscribe(({ kind, type, object }) => {
    if (kind.plural !== "pods") return;
    const { name } = object.metadata;
    const trace = traces.get(name) ?? new Trace(clock.monotonicMs());
    traces.set(name, trace);
    trace.see(type === "DELETED" ? undefined : (object as unknown as Pod), clock.monotonicMs());
  });
  for (const deed of deeds) {
    await clock.advance(Math.max(0, startMs + deed.atMs - clock.monotonicMs()));
    const acting = deed.type === "step" ? [...traces.values()] : [traces.get(deed.pod)];
    if (deed.type !== "create" && deed.type !== "patch") for (const trace of acting) trace?.act(deed.type, clock.monotonicMs());
    perform(deed, state, worlds);
  }
  await clock.advance(TAIL_MS);
  stopping.abort(new Error("the replay has ended"));
  for (const end of await Promise.all(running)) if (end !== stopping.signal.reason) throw end;
  state.close();
  return new Map([...traces].map(([pod, { entries }]) => [pod, entries]));
}

function perform(deed: Deed, state: ApiState, worlds: readonly RuntimeWorld[]): void {
  const address = { namespace: NAMESPACE, name: deed.pod };
  switch (deed.type) {
    case "step":
      return;
    case "create": {
      const { name, labels, annotations } = deed.object.metadata;
      state.create(PODS, { metadata: { name, labels, annotations }, spec: deed.object.spec }, NAMESPACE);
      return;
    }
    case "patch":
      state.patch(PODS, address, { contentType: STRATEGIC, body: deed.body, subresource: deed.subresource });
      return;
    case "delete":
      state.delete(PODS, address, { gracePeriodSeconds: deed.graceSeconds });
      return;
    case "stop":
      for (const { containers } of worlds) {
        const running = containers.list().filter(({ name, state: life }) => name === deed.container && life === "CONTAINER_RUNNING");
        for (const { id } of running) containers.exit(id, 0);
      }
  }
}
