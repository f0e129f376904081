import { beforeEach, describe, expect, test } from "@jest/globals";
import { pullUntilDone } from "../../../../src/agent/image-pull/pull.js";
import { PullSlots } from "../../../../src/agent/image-pull/pull-slots.js";
import type { ImageTagSpec } from "../../../../src/api/node-image.js";
import type { PullState } from "../../../../src/core/image-pull/node-image-status.js";
import type { PullTask } from "../../../../src/core/image-pull/wanted-pulls.js";
import { FakeClock } from "../../../support/fake-clock.js";
import { criFailure, FakeImages, pullForEver } from "./fake-images.js";

const FULL = "docker.io/library/nginx:1.25";
const HELD = { id: "sha256:9", repoTags: [FULL], repoDigests: [], sizeBytes: 1 };

let clock: FakeClock;
let images: FakeImages;
let states: PullState[];
let stop: AbortController;

beforeEach(() => {
  clock = new FakeClock();
  images = new FakeImages();
  states = [];
  stop = new AbortController();
});

function task(spec: Partial<ImageTagSpec> = {}, rest: Partial<PullTask> = {}): PullTask {
  return { id: "x", image: "nginx", spec: { tag: "1.25", ...spec }, ...rest };
}

function pull(current: PullTask | (() => PullTask), slots = new PullSlots(3)): Promise<PullState> {
  const context = {
    images,
    clock,
    slots,
    task: typeof current === "function" ? current : () => current,
    progress: (state: PullState) => void states.push(state),
  };
  return pullUntilDone(context, stop.signal);
}

/** Fails with each of the given errors in turn, then succeeds. */
function failThenPull(...errors: readonly Error[]): void {
  const rest = [...errors];
  images.pull = () => {
    const error = rest.shift();
    return error === undefined ? Promise.resolve("sha256:1") : Promise.reject(error);
  };
}

describe("pullUntilDone()", () => {
  test("pulls the full reference with the sandbox configuration and our mark, and reports the ID", async () => {
    const sandboxConfig = { labels: { a: "b" }, annotations: { c: "d" } };
    const end = await pull(task({ pullPolicy: { timeoutSeconds: 7 } }, { sandboxConfig }));
    expect(images.pulls).toEqual([
      {
        reference: FULL,
        timeoutMs: 7_000,
        sandboxLabels: { a: "b" },
        sandboxAnnotations: { c: "d", "apps.kruise.io/pulling-image-by": "kruise-daemon" },
      },
    ]);
    const time = "2026-01-02T03:04:05Z";
    expect(states).toEqual([{ phase: "Pulling", startTime: time }]);
    expect(end).toEqual({ phase: "Succeeded", startTime: time, completionTime: time, imageID: "nginx@sha256:1" });
  });

  test("a digest is pulled by digest", async () => {
    const digest = `sha256:${"ab".repeat(32)}`;
    await pull(task({ tag: digest }));
    expect(images.pulls[0]?.reference).toBe(`docker.io/library/nginx@${digest}`);
  });

  test("IfNotPresent leaves an image alone that the node has, without waiting for a place", async () => {
    images.held.set(FULL, HELD);
    const slots = new PullSlots(1);
    await slots.take(stop.signal);
    expect(await pull(task({ imagePullPolicy: "IfNotPresent" }), slots)).toMatchObject({ phase: "Succeeded", imageID: "nginx@sha256:9" });
    expect(images.pulls).toEqual([]);
  });

  for (const imagePullPolicy of ["Always", "", undefined]) {
    test(`policy ${JSON.stringify(imagePullPolicy)} pulls an image that the node has`, async () => {
      images.held.set(FULL, HELD);
      await pull(task(imagePullPolicy === undefined ? {} : { imagePullPolicy }));
      expect(images.pulls).toHaveLength(1);
    });
  }

  test("it retries after 1, 2, 4 s and gives up after the last attempt at once, with the runtime's words", async () => {
    failThenPull(
      criFailure("UNKNOWN"),
      criFailure("CANCELLED"),
      criFailure("NOT_FOUND", "missing"),
      criFailure("UNKNOWN", "transient", "last words"),
    );
    const done = pull(task({ pullPolicy: { backoffLimit: 3 } }));
    for (const [pauseMs, attempts] of [
      [1_000, 1],
      [2_000, 2],
      [4_000, 3],
    ] as const) {
      await clock.advance(pauseMs - 1);
      expect(images.pulls).toHaveLength(attempts);
      await clock.advance(1);
      expect(images.pulls).toHaveLength(attempts + 1);
    }
    expect(await done).toMatchObject({ phase: "Failed", message: 'Cannot pull image "x": last words' });
    expect(states.at(-1)).toMatchObject({ phase: "Pulling", message: 'Cannot pull image "x": no such host' });
  });

  test("what the runtime calls invalid is not tried again", async () => {
    failThenPull(criFailure("INVALID_ARGUMENT", "invalid"));
    expect(await pull(task())).toMatchObject({ phase: "Failed" });
    expect(images.pulls).toHaveLength(1);
  });

  test("what is no reference fails in words", async () => {
    expect(await pull(task({ tag: "a b" }))).toMatchObject({ phase: "Failed", message: '"nginx:a b" is not an image reference' });
  });

  test("the deadline cuts the timeout of an attempt, and counts an earlier agent's time", async () => {
    const startTime = "2026-01-02T03:03:35Z"; // 30 s ago
    const end = await pull(task({ pullPolicy: { activeDeadlineSeconds: 40, timeoutSeconds: 60 } }, { startTime }));
    expect(images.pulls[0]?.timeoutMs).toBe(10_000);
    expect(end.startTime).toBe(startTime);
  });

  test("a start in the future (clocks differ) does not lengthen the deadline", async () => {
    await pull(task({ pullPolicy: { activeDeadlineSeconds: 40 } }, { startTime: "2026-01-02T04:00:00Z" }));
    expect(images.pulls[0]?.timeoutMs).toBe(40_000);
  });

  test("a runtime that is away costs no attempt, however long", async () => {
    images.status = () => Promise.reject(criFailure("UNAVAILABLE"));
    images.pull = () => Promise.reject(criFailure("UNAVAILABLE"));
    const done = pull(task({ pullPolicy: { backoffLimit: 0 } }));
    await clock.advance(60_000);
    images.status = () => Promise.resolve();
    images.pull = () => Promise.resolve("sha256:1");
    await clock.advance(2_000);
    expect(await done).toMatchObject({ phase: "Succeeded" });
  });

  test("a connection that breaks once costs no attempt, twice in a row it does", async () => {
    failThenPull(criFailure("UNAVAILABLE"));
    const once = pull(task({ pullPolicy: { backoffLimit: 0 } }));
    await clock.advance(2_000);
    expect(await once).toMatchObject({ phase: "Succeeded" });
    failThenPull(criFailure("UNAVAILABLE"), criFailure("UNAVAILABLE"));
    const twice = pull(task({ pullPolicy: { backoffLimit: 0 } }));
    await clock.advance(2_000);
    expect(await twice).toMatchObject({ phase: "Failed" });
  });

  test("a place is given back while a retry waits", async () => {
    const slots = new PullSlots(1);
    failThenPull(criFailure("UNKNOWN"));
    const first = pull(task(), slots);
    await clock.advance(0);
    const second = pull(task({ tag: "1.26" }), slots);
    await clock.advance(0);
    expect(await second).toMatchObject({ phase: "Succeeded" });
    await clock.advance(1_000);
    expect(await first).toMatchObject({ phase: "Succeeded" });
  });

  test("limits that the spec raises while it runs count", async () => {
    let current = task({ pullPolicy: { backoffLimit: 1 } });
    failThenPull(criFailure("UNKNOWN"), criFailure("UNKNOWN"));
    const done = pull(() => current);
    await clock.advance(0);
    current = task({ pullPolicy: { backoffLimit: 2 } });
    await clock.advance(3_000);
    expect(await done).toMatchObject({ phase: "Succeeded" });
  });

  test("withdrawing rejects with the reason, in mid-pull and in a pause, and frees the place", async () => {
    const slots = new PullSlots(1);
    images.pull = pullForEver;
    const reason = new Error("withdrawn");
    const running = pull(task(), slots);
    await clock.advance(0);
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    stop = new AbortController();
    failThenPull(criFailure("UNKNOWN"));
    const pausing = pull(task(), slots);
    await clock.advance(10);
    stop.abort(reason);
    await expect(pausing).rejects.toBe(reason);
  });

  test("a bug is not taken for an answer of the runtime", async () => {
    failThenPull(new TypeError("x is undefined"));
    await expect(pull(task())).rejects.toThrow("x is undefined");
  });
});
