import { describe, expect, test } from "@jest/globals";
import { YoungStops } from "../../../../src/agent/container-restart/young-stops.js";
import { FakeClock, settle } from "../../../support/fake-clock.js";

function neverEnding(): {
  readonly started: string[];
  readonly stop: (name: string) => () => Promise<void>;
  readonly end: (name: string) => void;
} {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    stop: (name) => () =>
      new Promise((resolve) => {
        started.push(name);
        ends.set(name, resolve);
      }),
    end: (name) => ends.get(name)?.(),
  };
}

describe("YoungStops", () => {
  test("lets the next begin when one ends, in order", async () => {
    const young = new YoungStops(2, new FakeClock());
    const stops = neverEnding();
    const signal = new AbortController().signal;
    for (const name of ["a", "b", "c", "d"]) void young.run(stops.stop(name), signal);
    await settle();
    expect(stops.started).toEqual(["a", "b"]);
    stops.end("b");
    await settle();
    expect(stops.started).toEqual(["a", "b", "c"]);
  });

  test("lets the next begin when one is 2 s old, and no earlier", async () => {
    const clock = new FakeClock();
    const young = new YoungStops(1, clock);
    const stops = neverEnding();
    const signal = new AbortController().signal;
    for (const name of ["a", "b", "c"]) void young.run(stops.stop(name), signal);
    await clock.advance(1_999);
    expect(stops.started).toEqual(["a"]);
    await clock.advance(1);
    expect(stops.started).toEqual(["a", "b"]);
    stops.end("a"); // gives no second place
    await settle();
    expect(stops.started).toEqual(["a", "b"]);
  });

  test("gives the place of one that was cancelled while it waited to the next", async () => {
    const young = new YoungStops(1, new FakeClock());
    const stops = neverEnding();
    const cancelled = new AbortController();
    void young.run(stops.stop("a"), new AbortController().signal);
    const waiting = young.run(stops.stop("b"), cancelled.signal);
    void young.run(stops.stop("c"), new AbortController().signal);
    cancelled.abort(new Error("withdrawn"));
    await expect(waiting).rejects.toThrow("withdrawn");
    stops.end("a");
    await settle();
    expect(stops.started).toEqual(["a", "c"]);
  });
});
