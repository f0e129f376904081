import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { NodePodRestart, RestartRequest, RestartResult } from "../../../../src/api/node-pod-restart.js";
import { decideRestart } from "../../../../src/core/container-restart/decide.js";
import { containerFacts } from "../../../../src/core/container-restart/facts.js";
import type { ContainerInstance } from "../../../../src/core/container-restart/instance.js";
import { buildNodeStatus, idsOf } from "../../../../src/core/container-restart/node-status.js";
import { buildPodRestarts, type PodWish } from "../../../../src/core/container-restart/requests.js";
import { hash, makeInstance, makeNodeObject } from "./builders.js";
import { makePending, makePod, makeSituation, makeStatus, written } from "./request-builders.js";

type Step =
  | { readonly type: "controller" | "controller crash" | "agent" | "container crash" | "kubelet posts" | "replay" }
  | { readonly type: "kubelet starts"; readonly seesMetadata: boolean }
  | { readonly type: "edit"; readonly env: number }
  | { readonly type: "time"; readonly ms: number };

/** Controller, API server, agent and kubelet of one pod with one container, each a step at a time. */
class World {
  object: NodePodRestart = makeNodeObject({ generation: 1 });
  nowMs = 0;
  /** The env value that the pod's metadata gives, and the one that the kubelet has seen. */
  wantedEnv = 1;
  kubeletEnv = 0;
  posted = { containerID: "containerd://i0", restartCount: 0 };
  instances: ContainerInstance[] = [makeInstance({ id: "i0", podUid: "uid-1", plainHash: 70 })];
  readonly envs = new Map([["i0", 0]]);
  readonly stops: string[] = [];
  readonly requestsById = new Map<string, RestartRequest>();
  readonly goneIds = new Set<string>();
  readonly reasons = new Set<string>();
  #sightings: ReadonlyMap<string, number> = new Map();

  controller(): void {
    const situation = makeSituation({ previous: this.object, wishes: [this.#wish()], nowMs: this.nowMs, sightings: this.#sightings });
    const built = buildPodRestarts(situation);
    expect(buildPodRestarts(situation)).toEqual(built);
    this.#sightings = built.sightings;
    for (const { reason } of built.reports) this.reasons.add(reason);
    if (built.podRestarts === undefined) return;
    this.#checkIds(built.podRestarts.flatMap(({ requests }) => requests));
    this.object = written(this.object, built.podRestarts);
    const again = buildPodRestarts({ ...situation, previous: this.object, sightings: built.sightings });
    expect(again.podRestarts).toBeUndefined();
  }

  crashController(): void {
    this.#sightings = new Map();
  }

  agent(): void {
    for (const { uid, requests } of this.object.spec.podRestarts ?? []) {
      const results = new Map<string, RestartResult>();
      for (const request of requests) {
        const result = this.#carryOut(request);
        if (result !== undefined) results.set(request.id, result);
      }
      const containers = containerFacts({ runtimeName: "containerd", instances: this.instances, envHashOf: ({ id }) => this.envs.get(id) });
      this.object = {
        ...this.object,
        status: buildNodeStatus(this.object, new Map([[uid, { results, containers, askedIds: idsOf(requests) }]])),
      };
    }
  }

  start(seesMetadata: boolean): void {
    if (seesMetadata) this.kubeletEnv = this.wantedEnv;
    const last = this.instances.at(-1);
    if (last?.state !== "Exited") return;
    const restartCount = last.restartCount + 1;
    const id = `i${restartCount}`;
    this.envs.set(id, this.kubeletEnv);
    this.instances.push({ ...last, id, state: "Running", createdAtMs: last.createdAtMs + 1, restartCount });
  }

  end(): void {
    const last = this.instances.pop();
    if (last !== undefined) this.instances.push({ ...last, state: "Exited" });
  }

  post(): void {
    const last = this.instances.at(-1);
    if (last !== undefined) this.posted = { containerID: `containerd://${last.id}`, restartCount: last.restartCount };
  }

  /** The agent sees everything that was ever asked once more. */
  replay(): void {
    for (const request of this.requestsById.values()) this.#carryOut(request);
  }

  isApplied(): boolean {
    const last = this.instances.at(-1);
    return last?.state === "Running" && this.envs.get(last.id) === this.wantedEnv;
  }

  #carryOut(request: RestartRequest): RestartResult | undefined {
    const observed = { podUid: "uid-1", runtimeName: "containerd", instances: this.instances, previous: undefined };
    const decision = decideRestart(request, { ...observed, envOf: (id) => hash(this.envs.get(id) ?? 0) });
    if (decision.type === "stop") {
      expect(request.containerID).toBe(`containerd://${decision.instanceId}`);
      this.stops.push(decision.instanceId);
      this.end();
      return { id: request.id, phase: "Stopped" };
    }
    return decision.type === "inspect" ? undefined : decision.result;
  }

  #wish(): PodWish {
    const pod = makePod({ statuses: [makeStatus(this.posted)] });
    return { pod, revision: "web-abc", pending: [makePending({ expectedEnvHash: this.wantedEnv })] };
  }

  /** An id means one request for ever, and never comes back. */
  #checkIds(requests: readonly RestartRequest[]): void {
    const ids = new Set(requests.map(({ id }) => id));
    for (const request of requests) {
      expect(this.goneIds).not.toContain(request.id);
      expect(this.requestsById.get(request.id) ?? request).toEqual(request);
      this.requestsById.set(request.id, request);
    }
    for (const id of this.requestsById.keys()) if (!ids.has(id)) this.goneIds.add(id);
  }
}

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ type: fc.constantFrom("controller" as const, "agent" as const) }), weight: 6 },
  {
    arbitrary: fc.record({
      type: fc.constantFrom("controller crash" as const, "container crash" as const, "kubelet posts" as const, "replay" as const),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ type: fc.constant("kubelet starts" as const), seesMetadata: fc.boolean() }), weight: 3 },
  { arbitrary: fc.record({ type: fc.constant("edit" as const), env: fc.nat(3) }), weight: 1 },
  { arbitrary: fc.record({ type: fc.constant("time" as const), ms: fc.constantFrom(100, 1_000, 2_000, 4_000, 60_000) }), weight: 4 },
);

function run(world: World, step: Step): void {
  switch (step.type) {
    case "controller":
      return world.controller();
    case "controller crash":
      return world.crashController();
    case "agent":
      return world.agent();
    case "kubelet starts":
      return world.start(step.seesMetadata);
    case "container crash":
      return world.end();
    case "kubelet posts":
      return world.post();
    case "replay":
      return world.replay();
    case "edit":
      world.wantedEnv = step.env;
      return;
    case "time":
      world.nowMs += step.ms;
  }
}

describe("buildPodRestarts() with an agent and a kubelet, whatever happens in whatever order", () => {
  test("stops at most three instances per revision, each once, and ends with the wanted env or a report", () => {
    fc.assert(
      fc.property(fc.array(stepArbitrary, { maxLength: 80 }), (steps) => {
        const world = new World();
        for (const step of steps) run(world, step);
        for (let round = 0; round < 12; round++) {
          world.controller();
          world.agent();
          world.start(true);
          world.post();
          world.agent();
          world.nowMs += 5_000;
        }
        expect(new Set(world.stops).size).toBe(world.stops.length);
        expect(world.stops.length).toBeLessThanOrEqual(3);
        expect(world.isApplied() || world.reasons.has("EnvNotApplied")).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
