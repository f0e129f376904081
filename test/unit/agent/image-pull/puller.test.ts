import { beforeEach, describe, expect, test } from "@jest/globals";
import { type PullEnd, Puller } from "../../../../src/agent/image-pull/puller.js";
import type { PullTask } from "../../../../src/core/image-pull/wanted-pulls.js";
import { FakeClock } from "../../../support/fake-clock.js";
import { FakeImages, pullForEver } from "./fake-images.js";

let clock: FakeClock;
let images: FakeImages;
let puller: Puller;
let ends: PullEnd[];

beforeEach(() => {
  clock = new FakeClock();
  images = new FakeImages();
  puller = new Puller({ images, clock, maxParallelPulls: 2 });
  ends = [];
  puller.onEnd((end) => ends.push(end));
});

function task(id: string): PullTask {
  return { id, image: "nginx", spec: { tag: id } };
}

function phases(): readonly (readonly [string, string])[] {
  return [...puller.states()].map(([id, { phase }]) => [id, phase] as const);
}

describe("Puller", () => {
  test("no more pulls at a time than allowed; the others wait", async () => {
    images.pull = pullForEver;
    puller.sync([task("a"), task("b"), task("c")]);
    await clock.advance(0);
    expect(phases()).toEqual([
      ["a", "Pulling"],
      ["b", "Pulling"],
      ["c", "Waiting"],
    ]);
  });

  test("a pull is begun once, and remembered until it is no longer asked for", async () => {
    for (let round = 0; round < 3; round++) {
      puller.sync([task("a")]);
      await clock.advance(0);
    }
    expect(images.pulls).toHaveLength(1);
    expect(phases()).toEqual([["a", "Succeeded"]]);
    puller.sync([]);
    expect(phases()).toEqual([]);
    expect(ends).toHaveLength(1);
  });

  test("a withdrawn pull is cancelled and reports nothing", async () => {
    images.pull = pullForEver;
    puller.sync([task("a")]);
    await clock.advance(0);
    puller.sync([task("b")]);
    await clock.advance(0);
    expect(phases()).toEqual([["b", "Pulling"]]);
    expect(ends).toEqual([]);
  });

  test("one that hangs does not keep others from ending", async () => {
    images.pull = (request, signal) => (request.reference.endsWith(":a") ? pullForEver(request, signal) : Promise.resolve("sha256:1"));
    puller.sync(["a", "b", "c", "d"].map(task));
    await clock.advance(0);
    expect(phases().filter(([, phase]) => phase === "Succeeded")).toHaveLength(3);
  });

  test("a bug in a pull fails that pull alone", async () => {
    images.pull = () => Promise.reject(new TypeError("oops"));
    puller.sync([task("a")]);
    await clock.advance(0);
    expect(ends).toMatchObject([{ state: { phase: "Failed", message: "oops" }, bug: expect.any(TypeError) }]);
  });

  test("run() ends after the last pull was cancelled; nothing begins after that", async () => {
    images.pull = pullForEver;
    const stop = new AbortController();
    const done = puller.run(stop.signal);
    puller.sync([task("a")]);
    await clock.advance(0);
    stop.abort(new Error("stop"));
    await done;
    puller.sync([task("b")]);
    await clock.advance(0);
    expect(images.pulls).toHaveLength(1);
    expect(phases()).toEqual([]);
  });
});
