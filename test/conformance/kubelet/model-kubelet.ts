import type { Pod } from "../../../src/api/pod.js";
import { NODES, PODS } from "../../../src/api/resources.js";
import { ApiState } from "../../../src/sim/api-server/api-state.js";
import { Kubelet } from "../../../src/sim/kubelet/kubelet.js";
import { createNodeApi } from "../../../src/sim/kubelet/node-api.js";
import { RuntimeWorld } from "../../../src/sim/runtime/runtime-world.js";
import { FakeClock } from "../../support/fake-clock.js";
import { SeededRandom } from "../../support/seeded-random.js";
import { type Entry, type Run, Trace } from "./run.js";
import { IMAGES, type Scenario } from "./scenarios.js";

const NAMESPACE = "shop";
const NODE = "node1";
const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true } as const;
const STRATEGIC = "application/strategic-merge-patch+json";
/** Recorded on the cluster of test/cluster. */
const LAG_MS = 15;
const APP_STOP_MS = 30;
const STEP_MS = 20;
const TIMEOUT_MS = 120_000;

/** Plays a scenario on the model in virtual time; the seed fixes what the real one leaves to chance, and when in its second the kubelet looks. */
export async function runOnModel(scenario: Scenario, seed: number): Promise<readonly Entry[]> {
  const clock = new FakeClock();
  const random = new SeededRandom(seed, "kubelet");
  const state = new ApiState({ clock, random });
  const world = new RuntimeWorld(clock, random);
  for (const reference of IMAGES) {
    world.images.preload({ reference, sizeBytes: 1, program: { termExitCode: 0, stopMs: APP_STOP_MS, ...scenario.programs?.[reference] } });
  }
  state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
  const stopping = new AbortController();
  let pods = 0;
  const kubelet = new Kubelet({
    api: createNodeApi({ state, clock, nodeName: NODE, lagMs: LAG_MS }),
    world,
    clock,
    random,
    hostIP: "10.0.0.1",
    nextPodIP: () => `10.0.1.${String(++pods)}`,
  });
  const running = kubelet.run(stopping.signal).catch((error: unknown) => error);
  await clock.advance(60_000 + random.next() * 1_000);
  const trace = new Trace(clock.monotonicMs());
  const address = { namespace: NAMESPACE, name: scenario.name };
  const find = (): Pod | undefined => state.list(PODS, NAMESPACE)[0] as unknown as Pod | undefined;
  state.database.subscribe(({ kind, type, object }) => {
    if (kind.plural === "pods") trace.see(type === "DELETED" ? undefined : (object as unknown as Pod), clock.monotonicMs());
  });
  state.create(
    PODS,
    { metadata: { name: scenario.name, annotations: { config: "one" } }, spec: { nodeName: NODE, ...scenario.spec } },
    NAMESPACE,
  );
  const act = (name: string): void => trace.act(name, clock.monotonicMs());
  const run: Run = {
    async patch(body, subresource) {
      act("patch");
      state.patch(PODS, address, { contentType: STRATEGIC, body, subresource });
    },
    async remove(gracePeriodSeconds) {
      act("delete");
      state.delete(PODS, address, { gracePeriodSeconds });
    },
    async kill(container) {
      act(`kill ${container}`);
      const found = world.containers.list().find(({ name, state: life }) => name === container && life === "CONTAINER_RUNNING");
      world.containers.exit(found?.id ?? "", 137);
    },
    async createConfigMap(data) {
      act("create ConfigMap");
      state.create(CONFIG_MAPS, { metadata: { name: "config" }, data }, NAMESPACE);
    },
    async until(what, holds) {
      for (let waitedMs = 0; !holds(find()); waitedMs += STEP_MS) {
        if (waitedMs > TIMEOUT_MS) throw new Error(`${scenario.name} on the model: not "${what}" in time`);
        await clock.advance(STEP_MS);
      }
    },
    rest: (delayMs) => clock.advance(delayMs),
  };
  await scenario.steps(run);
  stopping.abort(new Error("the scenario has ended"));
  const end = await running;
  if (end !== stopping.signal.reason) throw end;
  state.close();
  return trace.entries;
}
