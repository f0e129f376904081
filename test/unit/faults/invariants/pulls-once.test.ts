import { describe, expect, test } from "@jest/globals";
import { pullsOnce } from "../../../faults/invariants/pulls-once.js";
import type { Entry } from "../../../faults/journal.js";
import { AGENT, at, broken, named, read, step, stored } from "./journals.js";

const IMAGE = "lab.local/app:v1";

function pull(atMs: number, ...answer: readonly string[]): readonly Entry[] {
  const asked = step(atMs, "before", AGENT, "pull-image", IMAGE);
  return [asked, ...answer.map((outcome) => step(atMs + 1, "received", AGENT, "pull-image", IMAGE, outcome))];
}

function told(atMs: number, phase: string, version: number, asked = 2): readonly Entry[] {
  const completion = phase === "Pulling" ? {} : { completionTime: "2026-01-01T00:00:09Z" };
  const members = {
    spec: { images: { "lab.local/app": { tags: [{ tag: "v1", version: asked }] } } },
    status: { desired: 1, imageStatuses: { "lab.local/app": { tags: [{ tag: "v1", phase, version, ...completion }] } } },
  };
  return [stored(atMs, "nodeimages", named("node-1", members)), read(atMs, AGENT, "nodeimages")];
}

describe("pulls-once", () => {
  test("lets a pull be tried again that failed, that broke off, or that another round asks for", () => {
    expect(broken(pullsOnce, [...pull(1, "2"), ...pull(10)])).toEqual([]);
    const cut = at(5, { type: "fault", fault: "socket-replaced", change: "begins", target: "" });
    expect(broken(pullsOnce, [...pull(1), cut, ...pull(10)])).toEqual([]);
    expect(broken(pullsOnce, [...told(1, "Succeeded", 1), ...pull(10)])).toEqual([]);
    expect(broken(pullsOnce, [...told(1, "Pulling", 2), ...pull(10)])).toEqual([]);
    expect(broken(pullsOnce, [...told(1, "Pulling", 2), ...pull(10), ...told(11, "Pulling", 2, 3), ...pull(12)])).toEqual([]);
  });

  test("finds two pulls at a time, and a pull of what was reported", () => {
    expect(broken(pullsOnce, [...pull(1), ...pull(10)])).toEqual(["pulls-once"]);
    expect(broken(pullsOnce, [...told(1, "Succeeded", 2), ...pull(10)])).toEqual(["pulls-once"]);
    expect(broken(pullsOnce, [...told(1, "Failed", 2), ...pull(10)])).toEqual(["pulls-once"]);
  });
});
