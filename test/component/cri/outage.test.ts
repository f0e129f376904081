import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type CriRuntime, openCriRuntime } from "../../../src/cri/grpc-runtime.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { type SimRuntime, startRuntime } from "../../../src/sim/runtime/runtime-server.js";
import { neverAborted } from "../../support/cri-fixture.js";
import { eventually } from "../../support/eventually.js";

// As long as it takes until the tries to connect are 2 s apart, the most; from then on 20 s are no different.
const OUTAGE_MS = 6_000;
const RECOVERY_MS = 2_500;

const signal = neverAborted();
const pod = { namespace: "shop", name: "web-0", uid: "6f2c0000-0000-4000-8000-000000000001" };
let directory: string;
let opened: { close(): void }[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "podmend-cri-"));
  opened = [];
});

afterEach(() => {
  for (const thing of opened) thing.close();
  rmSync(directory, { recursive: true });
});

function open(...names: readonly string[]): CriRuntime {
  const socketPaths = names.map((name) => join(directory, name));
  const client = openCriRuntime({ socketPaths, clock: systemClock, logger: silentLogger, metrics: silentMetrics });
  opened.push(client);
  return client;
}

async function serve(name: string, runtimeName = "containerd"): Promise<SimRuntime> {
  const server = await startRuntime({ socketPath: join(directory, name), runtimeName });
  opened.push(server);
  return server;
}

async function failsSoon({ runtime }: CriRuntime): Promise<void> {
  const startedMs = performance.now();
  await expect(runtime.version(signal)).rejects.toMatchObject({ kind: "transient", code: "CRI_UNAVAILABLE" });
  expect(performance.now() - startedMs).toBeLessThan(500);
}

describe("openCriRuntime()", () => {
  test.each([
    ["one candidate", ["a.sock"]],
    ["two candidates", ["b.sock", "a.sock"]],
  ])("finds a runtime that appears only after the start, with %s", async (_title, names) => {
    const client = open(...names);
    await failsSoon(client);
    await serve("a.sock");

    const version = await eventually(() => client.runtime.version(signal), RECOVERY_MS);

    expect(version.runtimeName).toBe("containerd");
  });

  test("fails calls soon while the runtime is gone, and finds it within 2.5 s after it is back", async () => {
    const server = await serve("a.sock");
    const client = open("a.sock");
    const [container] = server.world.runPod(pod, [{ name: "app" }]);
    await client.runtime.version(signal);

    server.goAway();
    const endMs = performance.now() + OUTAGE_MS;
    while (performance.now() < endMs) {
      await failsSoon(client);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await server.comeBack();

    const containers = await eventually(() => client.runtime.listContainers({ podUid: pod.uid }, signal), RECOVERY_MS);
    expect(containers.map(({ id }) => id)).toEqual([container?.id]);
  }, 15_000);

  test("fails a call that is under way when the runtime goes away", async () => {
    const server = await serve("a.sock");
    const client = open("a.sock");
    const [container] = server.world.runPod(pod, [{ name: "app", program: { stopMs: 60_000 } }]);

    const stop = client.runtime.stopContainer({ id: String(container?.id), graceSeconds: 120 }, signal);
    await client.runtime.version(signal);
    server.goAway();

    await expect(stop).rejects.toMatchObject({ kind: "transient", code: "CRI_UNAVAILABLE" });
  });

  test("follows when another runtime takes over the socket's path", async () => {
    const server = await serve("a.sock");
    const client = open("a.sock");
    await client.runtime.version(signal);

    server.goAway();
    await serve("a.sock", "cri-o");

    const version = await eventually(() => client.runtime.version(signal), RECOVERY_MS);
    expect(version.runtimeName).toBe("cri-o");
  });

  test("takes the first candidate that answers, whatever else lies at the other paths", async () => {
    writeFileSync(join(directory, "stale.sock"), "");
    await serve("good.sock", "cri-o");
    await serve("later.sock", "docker");
    const client = open("absent.sock", "stale.sock", "good.sock", "later.sock");

    expect((await client.runtime.version(signal)).runtimeName).toBe("cri-o");
  });

  test("leaves no open handle", async () => {
    const before = await settledHandles();
    const server = await serve("a.sock");
    const client = open("absent.sock", "a.sock");
    await client.runtime.version(signal);
    const events = client.runtime.events(signal)[Symbol.asyncIterator]().next();
    await eventually(() => expect(server.world.containers.watcherCount).toBe(1));

    client.close();
    server.close();

    await expect(events).rejects.toMatchObject({ code: "CRI_CANCELLED" });
    await eventually(() => expect(openHandles()).toEqual(before));
  });
});

function openHandles(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== "Timeout" && name !== "Immediate");
}

/** What is open once the tests before have let go of everything. */
async function settledHandles(): Promise<readonly string[]> {
  for (let before = openHandles(); ; before = openHandles()) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (openHandles().length === before.length) return before;
  }
}
