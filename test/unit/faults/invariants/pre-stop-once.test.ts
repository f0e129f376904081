import { describe, expect, test } from "@jest/globals";
import { preStopOnce } from "../../../faults/invariants/pre-stop-once.js";
import type { Entry } from "../../../faults/journal.js";
import { AGENT, broken, named, read, step, stored } from "./journals.js";

function asked(atMs: number, id: string, uid = "first"): Entry {
  const requests = [{ id, container: "app", containerID: "containerd://one" }];
  const object = named("node-1", { spec: { podRestarts: [{ uid: "web-a-uid", requests }] } });
  return stored(atMs, "nodepodrestarts", { ...object, metadata: { ...object.metadata, uid } });
}

const FIRST = [asked(0, "r1"), step(1, "before", AGENT, "run-pre-stop", "one")];
const SECOND = step(9, "before", "agent-node-1#2", "run-pre-stop", "one");

describe("pre-stop-once", () => {
  test("lets it run for each request, and again where nobody can know of it", () => {
    expect(broken(preStopOnce, [...FIRST, step(2, "before", AGENT, "run-pre-stop", "two")])).toEqual([]);
    expect(broken(preStopOnce, [...FIRST, asked(2, "r2"), SECOND])).toEqual([]);
    expect(
      broken(preStopOnce, [...FIRST, stored(2, "nodepodrestarts", named("node-1"), "DELETED"), asked(3, "r1", "second"), SECOND]),
    ).toEqual([]);
  });

  test("goes by what the agent has read: what was asked meanwhile it could not mean", () => {
    const late = [asked(0, "r1"), read(0, AGENT, "nodepodrestarts"), asked(1, "r2"), step(2, "before", AGENT, "run-pre-stop", "one")];
    const again = [read(3, AGENT, "nodepodrestarts"), step(4, "before", AGENT, "run-pre-stop", "one")];
    expect(broken(preStopOnce, [...late, ...again])).toEqual([]);
    expect(broken(preStopOnce, [...late, step(4, "before", AGENT, "run-pre-stop", "one")])).toEqual(["pre-stop-once"]);
  });

  test("finds that it ran twice, also by two lives", () => {
    expect(broken(preStopOnce, [...FIRST, stored(2, "nodepodrestarts", named("node-2"), "DELETED"), SECOND])).toEqual(["pre-stop-once"]);
  });
});
