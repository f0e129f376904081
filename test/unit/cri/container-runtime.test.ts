import { describe, expect, test } from "@jest/globals";
import { createContainerRuntime } from "../../../src/cri/container-runtime.js";
import { WireFailure } from "../../../src/cri/wire.js";
import { recordCalls } from "./recording-transport.js";

const signal = new AbortController().signal;
const ID = "f603a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e";

describe("createContainerRuntime()", () => {
  test("listContainers() asks by the pod's uid label and sorts by nanoseconds, newest first", async () => {
    const containers = [
      { id: "older", createdAt: "1767323045000000001" },
      { id: "newest", createdAt: "1767323045000000003" },
      { id: "newer", createdAt: "1767323045000000002" },
    ];
    const { calls, criCalls } = recordCalls({ ListContainers: { containers } });

    const listed = await createContainerRuntime(criCalls).listContainers({ podUid: "6f2c" }, signal);

    expect(listed.map(({ id, createdAtMs }) => [id, createdAtMs])).toEqual([
      ["newest", 1_767_323_045_000],
      ["newer", 1_767_323_045_000],
      ["older", 1_767_323_045_000],
    ]);
    expect(calls).toEqual([
      {
        path: "/runtime.v1.RuntimeService/ListContainers",
        request: { filter: { labelSelector: { "io.kubernetes.pod.uid": "6f2c" } } },
        timeoutMs: 10_000,
      },
    ]);
  });

  test("listContainers() without a filter asks for all", async () => {
    const { calls, criCalls } = recordCalls();

    expect(await createContainerRuntime(criCalls).listContainers({}, signal)).toEqual([]);
    expect(calls[0]?.request).toEqual({ filter: {} });
  });

  test("inspectContainer() asks verbosely and converts every field", async () => {
    const status = {
      id: ID,
      metadata: { name: "app", attempt: 2 },
      state: 2,
      createdAt: "1767323045123456789",
      startedAt: "1767323046000000000",
      finishedAt: "1767323047999999999",
      exitCode: 137,
      imageRef: "registry.test/app@sha256:aa",
      reason: "OOMKilled",
      labels: { a: "1" },
      annotations: { b: "2" },
    };
    const info = { info: JSON.stringify({ sandboxID: "5a0d", runtimeSpec: { process: { env: ["A=1"] } } }) };
    const { calls, criCalls } = recordCalls({ ContainerStatus: { status, info } });

    expect(await createContainerRuntime(criCalls).inspectContainer(ID, signal)).toEqual({
      id: ID,
      podSandboxId: "5a0d",
      name: "app",
      attempt: 2,
      state: "Exited",
      createdAtMs: 1_767_323_045_123,
      startedAtMs: 1_767_323_046_000,
      finishedAtMs: 1_767_323_047_999,
      exitCode: 137,
      reason: "OOMKilled",
      imageRef: "registry.test/app@sha256:aa",
      labels: { a: "1" },
      annotations: { b: "2" },
      env: new Map([["A", "1"]]),
    });
    expect(calls[0]).toMatchObject({ request: { containerId: ID, verbose: true }, timeoutMs: 10_000 });
  });

  test("inspectContainer() fails as transient on a reply without status", async () => {
    const { criCalls } = recordCalls();

    const inspect = createContainerRuntime(criCalls).inspectContainer(ID, signal);

    await expect(inspect).rejects.toMatchObject({ kind: "transient", code: "CRI_INTERNAL" });
  });

  test("a reply that is no such message fails as transient", async () => {
    const { criCalls } = recordCalls({ Version: Buffer.from([0x0b]) });

    const version = createContainerRuntime(criCalls).version(signal);

    await expect(version).rejects.toMatchObject({ kind: "transient", code: "CRI_INTERNAL" });
  });

  test.each([
    [0, 30_000],
    [30, 60_000],
    [3600, 3_630_000],
  ])("stopContainer() with a grace of %i s gives up after %i ms", async (graceSeconds, timeoutMs) => {
    const { calls, criCalls } = recordCalls();

    await createContainerRuntime(criCalls).stopContainer({ id: ID, graceSeconds }, signal);

    const timeout = graceSeconds === 0 ? {} : { timeout: String(graceSeconds) };
    expect(calls[0]).toMatchObject({ request: { containerId: ID, ...timeout }, timeoutMs });
  });

  test("stopContainer() counts NOT_FOUND as stopped, and nothing else", async () => {
    const gone = recordCalls({ StopContainer: new WireFailure(5, "no such container") });
    const busy = recordCalls({ StopContainer: new WireFailure(14, "connection refused") });

    await expect(createContainerRuntime(gone.criCalls).stopContainer({ id: ID, graceSeconds: 1 }, signal)).resolves.toBeUndefined();
    await expect(createContainerRuntime(busy.criCalls).stopContainer({ id: ID, graceSeconds: 1 }, signal)).rejects.toMatchObject({
      code: "CRI_UNAVAILABLE",
      message: 'Cannot stop container "f603a1b2c3d4": connection refused',
    });
  });

  test("exec() gives the runtime the timeout and itself 10 s more", async () => {
    const { calls, criCalls } = recordCalls({ ExecSync: { stdout: Buffer.from("é\n"), stderr: Buffer.from("x"), exitCode: 1 } });

    const result = await createContainerRuntime(criCalls).exec({ id: ID, command: ["a", "b"], timeoutSeconds: 25 }, signal);

    expect(result).toEqual({ exitCode: 1, stdout: "é\n", stderr: "x" });
    expect(calls[0]).toMatchObject({ request: { containerId: ID, cmd: ["a", "b"], timeout: "25" }, timeoutMs: 35_000 });
  });

  test("exec() refuses to wait for ever", async () => {
    const { calls, criCalls } = recordCalls();

    const exec = createContainerRuntime(criCalls).exec({ id: ID, command: ["a"], timeoutSeconds: 0 }, signal);

    await expect(exec).rejects.toMatchObject({ kind: "invalid", code: "CRI_INVALID_ARGUMENT" });
    expect(calls).toEqual([]);
  });

  test("events() leaves out kinds that it does not know", async () => {
    const { criCalls } = recordCalls({
      GetContainerEvents: [
        { containerId: "a", createdAt: "1767323045000000000" },
        { containerId: "b", containerEventType: 9 },
        { containerId: "c", containerEventType: 2, createdAt: "1767323046000000000" },
      ],
    });

    const seen = [];
    for await (const event of createContainerRuntime(criCalls).events(signal)) seen.push(event);

    expect(seen).toEqual([
      { containerId: "a", type: "Created", createdAtMs: 1_767_323_045_000 },
      { containerId: "c", type: "Stopped", createdAtMs: 1_767_323_046_000 },
    ]);
  });
});
