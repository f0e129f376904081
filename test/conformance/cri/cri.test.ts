import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { containerdProblem } from "../../support/containerd.js";
import { neverAborted } from "../../support/cri-fixture.js";
import { eventually } from "../../support/eventually.js";
import { APP_EXIT_CODE, COMMAND, IMAGE_ENV, startModel, startRealContainerd, type Subject } from "./subjects.js";

const signal = neverAborted();
const problem = containerdProblem();
if (problem !== undefined) console.log(`Skipping conformance of Debian's containerd: ${problem}`);

const RUNTIMES = [
  { name: "the model", start: startModel, isHere: true },
  // With CI=true everything was installed before: then what is missing is a failure, not a skip.
  { name: "Debian's containerd", start: startRealContainerd, isHere: problem === undefined || process.env["CI"] === "true" },
] as const;

for (const { name, start, isHere } of RUNTIMES) {
  (isHere ? describe : describe.skip)(`CRI port on ${name}`, () => conformance(start));
}

function conformance(start: () => Promise<Subject>): void {
  let subject: Subject;
  let sandboxId: string;
  let pods = 0;
  let pod = { namespace: "shop", name: "web", uid: "" };

  beforeAll(async () => {
    subject = await start();
    const timeoutMs = 20_000;
    const { app, slow, stubborn } = subject.images;
    for (const reference of [app, slow, stubborn]) await subject.cri.images.pullImage({ reference, timeoutMs }, signal);
  }, 60_000);

  afterAll(() => subject?.close(), 60_000);

  /** A pod of its own for the test. */
  async function newPod(): Promise<void> {
    pods += 1;
    pod = { namespace: "shop", name: `web-${pods}`, uid: `6f2c0000-0000-4000-8000-${String(pods).padStart(12, "0")}` };
    sandboxId = await subject.kubelet.runSandbox(pod);
  }

  /** A running container that can be asked to end. */
  async function runApp(container: {
    readonly name: string;
    readonly restartCount?: number;
    readonly image?: string;
    readonly envs?: readonly { key: string; value: string }[];
  }): Promise<string> {
    const id = await subject.kubelet.runContainer(sandboxId, pod, { image: subject.images.app, ...container });
    await subject.listening(id);
    return id;
  }

  test("version() tells the scheme of container ids and the API version", async () => {
    const version = await subject.cri.runtime.version(signal);

    expect(version).toEqual({ runtimeName: "containerd", runtimeVersion: expect.stringMatching(/\d/), apiVersion: "v1" });
  });

  test("listContainers() by pod uid gives the pod's containers, newest first, with what the kubelet wrote", async () => {
    await newPod();
    const older = await runApp({ name: "app" });
    await subject.cri.runtime.stopContainer({ id: older, graceSeconds: 5 }, signal);
    const newer = await runApp({ name: "app", restartCount: 1 });

    const containers = await subject.cri.runtime.listContainers({ podUid: pod.uid }, signal);

    expect(containers.map(({ id, name, attempt, state }) => ({ id, name, attempt, state }))).toEqual([
      { id: newer, name: "app", attempt: 1, state: "Running" },
      { id: older, name: "app", attempt: 0, state: "Exited" },
    ]);
    expect(containers[0]?.podSandboxId).toBe(sandboxId);
    expect(containers[0]?.labels["io.kubernetes.container.name"]).toBe("app");
    expect(containers[0]?.annotations["io.kubernetes.container.restartCount"]).toBe("1");
    expect(Math.abs((containers[0]?.createdAtMs ?? 0) - Date.now())).toBeLessThan(30_000);
  });

  test("listContainers() by id gives that one, and by an unknown id none", async () => {
    await newPod();
    const id = await runApp({ name: "app" });
    await runApp({ name: "proxy" });

    expect((await subject.cri.runtime.listContainers({ id }, signal)).map((container) => container.id)).toEqual([id]);
    expect(await subject.cri.runtime.listContainers({ id: "0".repeat(64) }, signal)).toEqual([]);
  });

  test("inspectContainer() gives the environment byte-exact, the image's variables included", async () => {
    await newPod();
    const envs = [
      { key: "LINES", value: "first\nsecond\n" },
      { key: "BLANKS", value: "  trailing   " },
      { key: "EMPTY", value: "" },
      { key: "EQUALS", value: "a=b=c" },
      { key: "QUOTES", value: "\"\\'<&>\u2028é🙂\t" },
    ];
    const id = await runApp({ name: "app", envs });

    const { env } = await subject.cri.runtime.inspectContainer(id, signal);

    for (const { key, value } of [IMAGE_ENV, ...envs]) expect([key, env?.get(key)]).toEqual([key, value]);
    expect(env?.has("ABSENT")).toBe(false);
  });

  test("inspectContainer() gives the value that the pod sets in place of the image's", async () => {
    await newPod();
    const id = await runApp({ name: "app", envs: [{ key: IMAGE_ENV.key, value: "pod value" }] });

    expect((await subject.cri.runtime.inspectContainer(id, signal)).env?.get(IMAGE_ENV.key)).toBe("pod value");
  });

  test("inspectContainer() of a running container gives its times, sandbox and image by digest", async () => {
    await newPod();
    const id = await runApp({ name: "app" });

    const detail = await subject.cri.runtime.inspectContainer(id, signal);

    expect(detail).toMatchObject({ id, name: "app", state: "Running", podSandboxId: sandboxId, finishedAtMs: 0 });
    expect(detail.startedAtMs).toBeGreaterThanOrEqual(detail.createdAtMs);
    expect(detail.imageRef).toMatch(/app@sha256:[0-9a-f]{64}$/);
  });

  test("stopContainer() lets the process end by itself within the grace period", async () => {
    await newPod();
    const id = await runApp({ name: "app" });

    await subject.cri.runtime.stopContainer({ id, graceSeconds: 10 }, signal);

    const detail = await subject.cri.runtime.inspectContainer(id, signal);
    expect(detail).toMatchObject({ state: "Exited", exitCode: APP_EXIT_CODE, reason: "Error" });
    expect(detail.finishedAtMs).toBeGreaterThanOrEqual(detail.startedAtMs);
  });

  test("stopContainer() kills a process that does not heed, after the grace period", async () => {
    await newPod();
    const id = await runApp({ name: "app", image: subject.images.stubborn });
    const startedMs = performance.now();

    await subject.cri.runtime.stopContainer({ id, graceSeconds: 1 }, signal);

    expect(performance.now() - startedMs).toBeGreaterThan(950);
    expect(await subject.cri.runtime.inspectContainer(id, signal)).toMatchObject({ state: "Exited", exitCode: 137 });
  });

  test("stopContainer() that is given up has asked all the same: the process ends in its time", async () => {
    await newPod();
    const id = await runApp({ name: "app", image: subject.images.slow });
    const caller = new AbortController();
    const reason = new Error("the deadline has passed");
    setTimeout(() => caller.abort(reason), 300);

    await expect(subject.cri.runtime.stopContainer({ id, graceSeconds: 10 }, caller.signal)).rejects.toBe(reason);

    expect((await subject.cri.runtime.inspectContainer(id, signal)).state).toBe("Running");
    await eventually(async () => {
      expect(await subject.cri.runtime.inspectContainer(id, signal)).toMatchObject({ state: "Exited", exitCode: APP_EXIT_CODE });
    });
  });

  test("stopContainer() that is given up within the grace period does not kill after it", async () => {
    await newPod();
    const id = await runApp({ name: "app", image: subject.images.stubborn });
    const caller = new AbortController();
    setTimeout(() => caller.abort(new Error("the deadline has passed")), 300);

    await expect(subject.cri.runtime.stopContainer({ id, graceSeconds: 1 }, caller.signal)).rejects.toThrow("deadline");

    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await subject.cri.runtime.inspectContainer(id, signal)).state).toBe("Running");
  });

  test("stopContainer() without grace kills at once", async () => {
    await newPod();
    const id = await runApp({ name: "app", image: subject.images.slow });

    await subject.cri.runtime.stopContainer({ id, graceSeconds: 0 }, signal);

    expect(await subject.cri.runtime.inspectContainer(id, signal)).toMatchObject({ state: "Exited", exitCode: 137 });
  });

  test("stopContainer() of a stopped and of a removed container resolves", async () => {
    await newPod();
    const id = await runApp({ name: "app" });
    await subject.cri.runtime.stopContainer({ id, graceSeconds: 5 }, signal);

    await subject.cri.runtime.stopContainer({ id, graceSeconds: 5 }, signal);
    await subject.kubelet.removeContainer(id);
    await subject.cri.runtime.stopContainer({ id, graceSeconds: 5 }, signal);

    expect(await subject.cri.runtime.listContainers({ id }, signal)).toEqual([]);
  });

  test("inspectContainer() and exec() of a container that is gone fail as missing", async () => {
    const id = "0".repeat(64);

    await expect(subject.cri.runtime.inspectContainer(id, signal)).rejects.toMatchObject({ kind: "missing", code: "CRI_NOT_FOUND" });
    await expect(subject.cri.runtime.exec({ id, command: COMMAND, timeoutSeconds: 5 }, signal)).rejects.toMatchObject({ kind: "missing" });
  });

  test("exec() gives exit code, output and error output", async () => {
    await newPod();
    const id = await runApp({ name: "app" });

    const result = await subject.cri.runtime.exec({ id, command: COMMAND, timeoutSeconds: 5 }, signal);

    expect(result).toEqual({ exitCode: 3, stdout: "out\n", stderr: "err\n" });
  });

  test("exec() in a container that has ended fails", async () => {
    await newPod();
    const id = await runApp({ name: "app" });
    await subject.cri.runtime.stopContainer({ id, graceSeconds: 5 }, signal);

    const exec = subject.cri.runtime.exec({ id, command: COMMAND, timeoutSeconds: 5 }, signal);

    await expect(exec).rejects.toMatchObject({ kind: "transient", code: "CRI_UNKNOWN" });
  });

  test("pullImage() brings an image that imageStatus() and listImages() then know", async () => {
    await subject.kubelet.removeImage(subject.images.app);
    expect(await subject.cri.images.imageStatus(subject.images.app, signal)).toBeUndefined();

    const imageRef = await subject.cri.images.pullImage({ reference: subject.images.app, timeoutMs: 20_000 }, signal);

    const image = await subject.cri.images.imageStatus(subject.images.app, signal);
    expect(image).toMatchObject({ id: imageRef, repoTags: [subject.images.app], repoDigests: [expect.stringContaining("app@sha256:")] });
    expect(image?.sizeBytes).toBeGreaterThan(100_000);
    expect((await subject.cri.images.listImages(signal)).map(({ id }) => id)).toContain(imageRef);
    expect((await subject.cri.images.imageStatus(String(image?.repoDigests[0]), signal))?.id).toBe(imageRef);
  });

  test("pullImage() of an image that the registry does not have fails as missing", async () => {
    const pull = subject.cri.images.pullImage({ reference: subject.images.missing, timeoutMs: 20_000 }, signal);

    await expect(pull).rejects.toMatchObject({ kind: "missing", code: "CRI_NOT_FOUND", message: expect.stringContaining("missing:v1") });
  });

  test("pullImage() ends at once when aborted, and with DEADLINE_EXCEEDED at its timeout", async () => {
    const stop = new AbortController();
    const reason = new Error("job deleted");
    const pull = subject.cri.images.pullImage({ reference: subject.images.stalled, timeoutMs: 20_000 }, stop.signal);
    setTimeout(() => stop.abort(reason), 100);

    await expect(pull).rejects.toBe(reason);
    const late = subject.cri.images.pullImage({ reference: subject.images.stalled, timeoutMs: 300 }, signal);
    await expect(late).rejects.toMatchObject({ kind: "transient", code: "CRI_DEADLINE_EXCEEDED" });
    expect(await subject.cri.images.imageStatus(subject.images.stalled, signal)).toBeUndefined();
  });

  test("events() tells of a start and a stop, or fails as unsupported", async () => {
    await newPod();
    const seen: string[] = [];
    const stop = new AbortController();
    const following = follow(subject, seen, stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 100));

    const id = await runApp({ name: "app" });
    await subject.cri.runtime.stopContainer({ id, graceSeconds: 5 }, signal);

    await eventually(() => {
      const isUnsupported = seen.includes("unsupported");
      if (!isUnsupported) expect(seen).toEqual(expect.arrayContaining([`Started ${id}`, `Stopped ${id}`]));
    });
    stop.abort();
    await following;
  });

  test("calls fail as CRI_UNAVAILABLE while the runtime is away, and work soon after it is back, with its containers", async () => {
    await newPod();
    const id = await runApp({ name: "app" });

    await subject.goAway();
    await eventually(async () => {
      await expect(subject.cri.runtime.version(signal)).rejects.toMatchObject({ kind: "transient", code: "CRI_UNAVAILABLE" });
    });
    await subject.comeBack();
    const startedMs = performance.now();
    const detail = await eventually(() => subject.cri.runtime.inspectContainer(id, signal), 10_000, 50);

    expect(detail.state).toBe("Running");
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  }, 30_000);
}

async function follow({ cri }: Subject, seen: string[], signal: AbortSignal): Promise<void> {
  try {
    for await (const { type, containerId } of cri.runtime.events(signal)) seen.push(`${type} ${containerId}`);
  } catch (error) {
    seen.push(error === signal.reason ? "ended" : String((error as { kind?: unknown }).kind));
  }
}
