import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ModelFailure } from "../../../src/sim/runtime/model-failure.js";
import { type CriFixture, neverAborted, startCriFixture } from "../../support/cri-fixture.js";
import { eventually } from "../../support/eventually.js";

const POD = { namespace: "shop", name: "web-0", uid: "6f2c0000-0000-4000-8000-000000000001" };
const MIB = 1024 * 1024;
const signal = neverAborted();
let cri: CriFixture;

beforeEach(async () => {
  cri = await startCriFixture();
});

afterEach(() => cri.close());

class Milestone {
  reach: () => void = () => undefined;
  readonly reached = new Promise<void>((resolve) => {
    this.reach = resolve;
  });
}

/** Lets calls of a method reach the model and wait there; tells when one has come, and when its caller has given up. */
function holdCalls(method: string): { readonly arrived: Promise<void>; readonly givenUp: Promise<void> } {
  const arrived = new Milestone();
  const givenUp = new Milestone();
  cri.world.faults.intercept = async (name, callSignal) => {
    if (name !== method) return;
    arrived.reach();
    await new Promise<void>((resolve) => callSignal.addEventListener("abort", () => resolve(), { once: true }));
    givenUp.reach();
  };
  return { arrived: arrived.reached, givenUp: givenUp.reached };
}

describe("replies", () => {
  test("listContainers() reads a reply over grpc's default limit of 4 MiB", async () => {
    cri.world.runPod(POD, [{ name: "app" }]);
    cri.world.faults.listPaddingBytes = 6 * MIB;

    const [container] = await cri.runtime.listContainers({ podUid: POD.uid }, signal);

    expect(container?.annotations["padding"]?.length).toBe(6 * MIB);
  });

  test("listContainers() fails as CRI_RESOURCE_EXHAUSTED on a reply over 16 MiB, and the connection lives on", async () => {
    cri.world.runPod(POD, [{ name: "app" }]);
    cri.world.faults.listPaddingBytes = 17 * MIB;

    const list = cri.runtime.listContainers({}, signal);

    await expect(list).rejects.toMatchObject({ kind: "transient", code: "CRI_RESOURCE_EXHAUSTED" });
    expect((await cri.runtime.version(signal)).runtimeName).toBe("containerd");
  });

  test("inspectContainer() gives no environment where the runtime tells none", async () => {
    const [container] = cri.world.runPod(POD, [{ name: "app", envs: [{ key: "A", value: "1" }] }]);
    cri.world.faults.hasNoVerboseInfo = true;

    expect((await cri.runtime.inspectContainer(String(container?.id), signal)).env).toBeUndefined();
  });

  test.each([
    [3, "invalid", "CRI_INVALID_ARGUMENT"],
    [7, "denied", "CRI_PERMISSION_DENIED"],
    [9, "conflict", "CRI_FAILED_PRECONDITION"],
    [12, "unsupported", "CRI_UNIMPLEMENTED"],
    [2, "transient", "CRI_UNKNOWN"],
  ])("status %i fails as %s with code %s and names the subject", async (status, kind, code) => {
    cri.world.faults.intercept = async () => {
      throw new ModelFailure(status, "no way");
    };

    const inspect = cri.runtime.inspectContainer("0123456789abcdef", signal);

    await expect(inspect).rejects.toMatchObject({ kind, code, message: 'Cannot inspect container "0123456789ab": no way' });
  });
});

describe("deadlines and cancellation", () => {
  test("a call that gets no answer fails at its deadline as CRI_DEADLINE_EXCEEDED, and the runtime is told", async () => {
    const { givenUp } = holdCalls("PullImage");

    const pull = cri.images.pullImage({ reference: "registry.test/app:v1", timeoutMs: 200 }, signal);

    await expect(pull).rejects.toMatchObject({ kind: "transient", code: "CRI_DEADLINE_EXCEEDED" });
    await givenUp;
  });

  test("an aborted call rejects with the signal's reason at once, and the runtime is told", async () => {
    const { arrived, givenUp } = holdCalls("ExecSync");
    const stop = new AbortController();
    const reason = new Error("request withdrawn");
    const [container] = cri.world.runPod(POD, [{ name: "app" }]);

    const exec = cri.runtime.exec({ id: String(container?.id), command: ["true"], timeoutSeconds: 30 }, stop.signal);
    await arrived;
    stop.abort(reason);

    await expect(exec).rejects.toBe(reason);
    await givenUp;
  });

  test("a call with an aborted signal never reaches the runtime", async () => {
    const [container] = cri.world.runPod(POD, [{ name: "app" }]);
    const id = String(container?.id);
    const reason = new Error("shutting down");

    await expect(cri.runtime.stopContainer({ id, graceSeconds: 1 }, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(cri.world.containers.get(id).state).toBe("CONTAINER_RUNNING");
  });

  test("close() ends the calls under way", async () => {
    const { arrived } = holdCalls("StopContainer");

    const stopping = cri.runtime.stopContainer({ id: "f603", graceSeconds: 600 }, signal);
    await arrived;
    cri.close();

    await expect(stopping).rejects.toMatchObject({ code: "CRI_CANCELLED" });
    await expect(cri.runtime.version(signal)).rejects.toMatchObject({ code: "CRI_UNAVAILABLE" });
  });
});

describe("stops that go wrong", () => {
  test("one that ends the container and answers with an error fails as transient", async () => {
    const [container] = cri.world.runPod(POD, [{ name: "app" }]);
    cri.world.faults.stop = "fails-but-dies";

    const stop = cri.runtime.stopContainer({ id: String(container?.id), graceSeconds: 1 }, signal);

    await expect(stop).rejects.toMatchObject({ kind: "transient", code: "CRI_UNKNOWN" });
    expect((await cri.runtime.inspectContainer(String(container?.id), signal)).state).toBe("Exited");
  });

  test("one that answers OK leaves a running container for the next look to find", async () => {
    const [container] = cri.world.runPod(POD, [{ name: "app" }]);
    cri.world.faults.stop = "answers-but-runs";

    await cri.runtime.stopContainer({ id: String(container?.id), graceSeconds: 1 }, signal);

    expect((await cri.runtime.inspectContainer(String(container?.id), signal)).state).toBe("Running");
  });

  test("one that hangs can be abandoned", async () => {
    const [container] = cri.world.runPod(POD, [{ name: "app" }]);
    cri.world.faults.stop = "hangs";

    const stop = cri.runtime.stopContainer({ id: String(container?.id), graceSeconds: 1 }, AbortSignal.timeout(100));

    await expect(stop).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("a list may lag behind a stop", async () => {
    const [container] = cri.world.runPod(POD, [{ name: "app" }]);
    const id = String(container?.id);
    await new Promise((resolve) => setTimeout(resolve, 350));
    cri.world.faults.listLagMs = 300;
    await cri.runtime.stopContainer({ id, graceSeconds: 1 }, signal);

    expect((await cri.runtime.listContainers({ id }, signal))[0]?.state).toBe("Running");
    await eventually(async () => expect((await cri.runtime.listContainers({ id }, signal))[0]?.state).toBe("Exited"));
  });
});

describe("events()", () => {
  test("gives what happens, in order, and rejects with the reason when aborted", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const { type } of cri.runtime.events(stop.signal)) seen.push(type);
    })();
    await eventually(() => expect(cri.world.containers.watcherCount).toBe(1));

    const [container] = cri.world.runPod(POD, [{ name: "app" }]);
    cri.world.containers.exit(String(container?.id), 0);
    cri.world.containers.remove(String(container?.id));
    await eventually(() => expect(seen).toEqual(["Created", "Started", "Stopped", "Deleted"]));
    const reason = new Error("shutting down");
    stop.abort(reason);

    await expect(following).rejects.toBe(reason);
    await eventually(() => expect(cri.world.containers.watcherCount).toBe(0));
  });

  test("ends the call when its reader leaves", async () => {
    const following = (async () => {
      for await (const { type } of cri.runtime.events(signal)) return type;
      return undefined;
    })();
    await eventually(() => expect(cri.world.containers.watcherCount).toBe(1));
    cri.world.runPod(POD, [{ name: "app" }]);

    expect(await following).toBe("Created");
    await eventually(() => expect(cri.world.containers.watcherCount).toBe(0));
  });

  test("fails as unsupported where the runtime has none", async () => {
    cri.world.faults.hasNoEvents = true;

    const first = cri.runtime.events(signal)[Symbol.asyncIterator]().next();

    await expect(first).rejects.toMatchObject({ kind: "unsupported", code: "CRI_UNIMPLEMENTED" });
  });

  test("fails as CRI_UNAVAILABLE when the runtime goes away, and can be followed again after", async () => {
    const first = cri.runtime.events(signal)[Symbol.asyncIterator]().next();
    await eventually(() => expect(cri.world.containers.watcherCount).toBe(1));
    cri.server.goAway();

    await expect(first).rejects.toMatchObject({ kind: "transient", code: "CRI_UNAVAILABLE" });
    await cri.server.comeBack();
    await eventually(() => cri.runtime.version(signal));
    const again = cri.runtime.events(signal)[Symbol.asyncIterator]().next();
    await eventually(() => expect(cri.world.containers.watcherCount).toBe(1));
    cri.world.runPod(POD, [{ name: "app" }]);
    expect((await again).value).toMatchObject({ type: "Created" });
  });
});
