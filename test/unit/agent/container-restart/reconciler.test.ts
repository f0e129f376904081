import { describe, expect, test } from "@jest/globals";
import { CalledStops } from "../../../../src/agent/container-restart/called-stops.js";
import { ContainerRestartReconciler } from "../../../../src/agent/container-restart/reconciler.js";
import { ReportBook } from "../../../../src/agent/container-restart/report-book.js";
import { RestartEvents } from "../../../../src/agent/container-restart/restart-events.js";
import { StatusWriter } from "../../../../src/agent/container-restart/status-writer.js";
import { StopRunner } from "../../../../src/agent/container-restart/stop-runner.js";
import type { RestartRequest } from "../../../../src/api/node-pod-restart.js";
import type { ContainerDetail, ContainerSummary } from "../../../../src/cri/runtime.js";
import { liveEnvHash } from "../../../../src/core/values/env-from-metadata.js";
import { settle } from "../../../support/fake-clock.js";
import { failure, makeDeps, ObjectModel } from "./agent-builders.js";

const stopOf = (container: string): RestartRequest => ({
  id: `stop-${container}`,
  container,
  containerID: `containerd://${container}-0`,
  envNames: ["CONFIG"],
  stopWhile: { envHashNot: 5 },
});

function listed(container: string): ContainerSummary {
  return {
    id: `${container}-0`,
    podSandboxId: "sandbox",
    name: container,
    attempt: 0,
    state: "Running",
    createdAtMs: 1_000,
    imageRef: "app:v1",
    labels: { "io.kubernetes.pod.uid": "uid-1", "io.kubernetes.container.name": container },
    annotations: {},
  };
}

/** An agent whose pod has these requests; `inspect` answers for the runtime. */
function setUp(
  requests: readonly RestartRequest[],
  inspect: (id: string) => Promise<Partial<ContainerDetail>>,
  listing: Promise<unknown> = Promise.resolve(),
) {
  const model = new ObjectModel([{ namespace: "shop", name: "web-0", uid: "uid-1", requests }]);
  const stopped: string[] = [];
  const deps = makeDeps(model, {
    version: () => Promise.resolve({ runtimeName: "containerd", runtimeVersion: "1.6", apiVersion: "v1" }),
    listContainers: () => listing.then(() => requests.map(({ container }) => listed(container))),
    inspectContainer: (id) => inspect(id) as Promise<ContainerDetail>,
    stopContainer: async ({ id }) => void stopped.push(id),
  });
  const book = new ReportBook(() => model.cached);
  const writer = new StatusWriter(deps, book);
  const calledStops = new CalledStops(deps.clock);
  const runner = new StopRunner(deps, { writer, events: new RestartEvents(deps), calledStops });
  const stop = new AbortController();
  void runner.run(stop.signal);
  const reconciler = new ContainerRestartReconciler(deps, { book, writer, runner, calledStops });
  return { model, book, runner, stopped, reconcile: () => reconciler.reconcile("uid-1", stop.signal) };
}

describe("ContainerRestartReconciler.reconcile()", () => {
  const env = new Map([["CONFIG", "old"]]);

  test("tells what it has seen of a pod although one of its containers cannot be looked at", async () => {
    const inspect = (id: string) => (id === "app-0" ? Promise.reject(failure("transient")) : Promise.resolve({ env }));
    const { book, stopped, reconcile } = setUp([stopOf("app"), stopOf("side")], inspect);
    await expect(reconcile()).rejects.toThrow('Cannot do "it"');
    await settle();
    expect(stopped).toEqual(["side-0"]);
    expect(book.of("uid-1").containers.map(({ name }) => name)).toEqual(["app", "side"]);
  });

  test("ends only after all that it began, for a pod is never looked at twice at a time", async () => {
    let answer: (detail: Partial<ContainerDetail>) => void = () => undefined;
    const slow = new Promise<Partial<ContainerDetail>>((resolve) => (answer = resolve));
    const inspect = (id: string) => (id === "app-0" ? Promise.reject(failure("transient")) : slow);
    const { stopped, reconcile } = setUp([stopOf("app"), stopOf("side")], inspect);
    let hasEnded = false;
    const ended = reconcile().catch(() => (hasEnded = true));
    await settle();
    expect(hasEnded).toBe(false);
    answer({ env });
    await ended;
    expect(stopped).toEqual(["side-0"]);
  });

  test("reads the env on which a stop hangs while it lists the containers, once", async () => {
    let list: (value?: unknown) => void = () => undefined;
    const inspected: string[] = [];
    const inspect = (id: string) => {
      inspected.push(id);
      return Promise.resolve({ env });
    };
    const { stopped, reconcile } = setUp([stopOf("app")], inspect, new Promise((resolve) => (list = resolve)));
    const ended = reconcile();
    await settle();
    expect({ inspected, stopped }).toEqual({ inspected: ["app-0"], stopped: [] });
    list();
    await ended;
    await settle();
    await reconcile();
    expect({ inspected, stopped }).toEqual({ inspected: ["app-0"], stopped: ["app-0"] });
  });

  test("stops nothing when the request is withdrawn while the environment is read", async () => {
    const parts = setUp([stopOf("app")], async () => {
      parts.model.cached = { ...parts.model.stored, spec: { podRestarts: [] } };
      return { env };
    });
    await parts.reconcile();
    await settle();
    expect(parts.stopped).toEqual([]);
  });

  test("takes no instance for settled that a stop may still end, though the stop was withdrawn and failed", async () => {
    const values = new Map([["CONFIG", "wanted"]]);
    const goBack = { ...stopOf("app"), id: "back", stopWhile: { envHashNot: liveEnvHash(["CONFIG"], values) } };
    const { model, book, runner, stopped, reconcile } = setUp([goBack], () => Promise.resolve({ env: values }));
    const order = { podUid: "uid-1", pod: "shop/web-0", container: "app", instanceId: "app-0", preStop: undefined };
    runner.start({ ...order, id: "earlier", graceSeconds: 30 });
    await settle();
    runner.withdraw("earlier");
    expect(await reconcile()).toHaveProperty("requeueAfterMs");
    expect(book.of("uid-1").results.get("back")).toMatchObject({ phase: "Waiting" });
    expect(book.of("uid-1").containers).toMatchObject([{ name: "app", state: "Unknown" }]);
    await model.clock.advance(45_000);
    const later = reconcile();
    await model.clock.advance(1_000); // one of many looks may take a moment
    expect(await later).toEqual({});
    expect(book.of("uid-1").results.get("back")).toMatchObject({ phase: "Skipped", reason: "EnvAlreadyApplied" });
    expect(book.of("uid-1").containers).toMatchObject([{ name: "app", state: "Running" }]);
    expect(stopped).toEqual(["app-0"]);
  });
});
