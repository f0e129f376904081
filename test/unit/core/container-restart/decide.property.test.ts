import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { RestartRequest, RestartResult } from "../../../../src/api/node-pod-restart.js";
import { decideRestart, type RestartDecision } from "../../../../src/core/container-restart/decide.js";
import type { ContainerInstance } from "../../../../src/core/container-restart/instance.js";
import { hash, makeInstance, POD_UID } from "./builders.js";

const exec = { type: "exec", command: ["/drain"] } as const;

/** What happens to the node, one step at a time. */
type Step =
  | { readonly type: "look"; readonly request: number }
  | { readonly type: "answer"; readonly outcome: "stopped" | "lost" | "lost but stopped" | "said stopped but runs" }
  | { readonly type: "start"; readonly env: number }
  | { readonly type: "crash" }
  | { readonly type: "exit" };

/** A node with one container whose agent acts only on decisions and on what it wrote. */
class NodeModel {
  readonly instances: ContainerInstance[] = [makeInstance({ id: "i0", preStop: exec })];
  readonly envs = new Map([["i0", 0]]);
  readonly written = new Map<string, RestartResult>();
  readonly preStops = new Map<string, number>();
  readonly calls: { readonly request: RestartRequest; readonly instanceId: string; readonly state: string; outcome: string }[] = [];
  /** Stop calls in flight, per request; forgotten by a crash. */
  readonly inFlight = new Map<string, number>();

  look(request: RestartRequest): void {
    if (this.inFlight.has(request.id)) return;
    const decision = this.#decide(request);
    if (decision.type === "wait" || decision.type === "finish") {
      if (decision.result !== undefined) this.written.set(request.id, decision.result);
      return;
    }
    if (decision.type !== "stop") return;
    if (decision.preStop !== undefined) {
      this.written.set(request.id, { id: request.id, phase: "Stopping" });
      this.preStops.set(request.id, (this.preStops.get(request.id) ?? 0) + 1);
    }
    const state = this.instances.find(({ id }) => id === decision.instanceId)?.state ?? "none";
    this.inFlight.set(request.id, this.calls.push({ request, instanceId: decision.instanceId, state, outcome: "unanswered" }) - 1);
  }

  answer(outcome: string): void {
    for (const [id, index] of this.inFlight) {
      const call = this.calls[index];
      if (call === undefined) continue;
      call.outcome = outcome;
      if (outcome === "stopped" || outcome === "lost but stopped") this.end(call.instanceId);
      this.inFlight.delete(id);
      return;
    }
  }

  end(instanceId: string): void {
    const index = this.instances.findIndex(({ id }) => id === instanceId);
    const instance = this.instances[index];
    if (instance !== undefined) this.instances[index] = { ...instance, state: "Exited" };
  }

  start(env: number): void {
    const last = this.instances.at(-1);
    if (last?.state !== "Exited") return;
    const id = `i${this.instances.length}`;
    this.envs.set(id, env);
    this.instances.push(makeInstance({ id, preStop: exec, createdAtMs: last.createdAtMs + 1, restartCount: last.restartCount + 1 }));
  }

  #decide(request: RestartRequest): RestartDecision {
    return decideRestart(request, {
      podUid: POD_UID,
      runtimeName: "containerd",
      instances: this.instances,
      envOf: (id) => hash(this.envs.get(id) ?? 0),
      previous: this.written.get(request.id),
    });
  }
}

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("look" as const), request: fc.nat(5) }),
  fc.record({
    type: fc.constant("answer" as const),
    outcome: fc.constantFrom("stopped" as const, "lost" as const, "lost but stopped" as const, "said stopped but runs" as const),
  }),
  fc.record({ type: fc.constant("start" as const), env: fc.nat(2) }),
  fc.record({ type: fc.constantFrom("crash" as const, "exit" as const) }),
);

const requestArbitrary = fc.record({
  instance: fc.nat(4),
  envHashNot: fc.option(fc.nat(2), { nil: undefined }),
  container: fc.constantFrom("app", "app", "app", "proxy"),
  runPreStop: fc.boolean(),
});

describe("decideRestart(), whatever is replayed after whatever crash", () => {
  test("stops no instance but the named one, again only after a call without a good answer, and runs preStop at most once", () => {
    fc.assert(
      fc.property(
        fc.array(requestArbitrary, { minLength: 1, maxLength: 6 }),
        fc.array(stepArbitrary, { maxLength: 60 }),
        (specs, steps) => {
          const requests = specs.map(
            ({ instance, envHashNot, container, runPreStop }, index): RestartRequest => ({
              id: `r${index}`,
              container,
              containerID: `containerd://i${instance}`,
              runPreStop,
              ...(envHashNot === undefined ? {} : { stopWhile: { envHashNot }, envNames: ["CONFIG"] }),
            }),
          );
          const node = new NodeModel();
          for (const step of steps) runStep(node, requests, step);
          checkCalls(node);
          for (const count of node.preStops.values()) expect(count).toBe(1);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

function runStep(node: NodeModel, requests: readonly RestartRequest[], step: Step): void {
  if (step.type === "look") {
    const request = requests[step.request % requests.length];
    if (request !== undefined) node.look(request);
  }
  if (step.type === "answer") node.answer(step.outcome);
  if (step.type === "start") node.start(step.env);
  if (step.type === "crash") node.inFlight.clear();
  if (step.type === "exit") node.end(node.instances.at(-1)?.id ?? "");
}

function checkCalls(node: NodeModel): void {
  for (const [index, { request, instanceId, state }] of node.calls.entries()) {
    expect(request.containerID).toBe(`containerd://${instanceId}`);
    expect(request.container).toBe("app");
    expect(state).toBe("Running");
    if (request.stopWhile !== undefined) expect(node.envs.get(instanceId)).not.toBe(request.stopWhile.envHashNot);
    const earlier = node.calls.slice(0, index).filter((call) => call.request.id === request.id);
    for (const call of earlier) expect(["unanswered", "lost", "said stopped but runs"]).toContain(call.outcome);
  }
}
