import { describe, expect, test } from "@jest/globals";
import { preStopOnce } from "../../../faults/invariants/pre-stop-once.js";
import { AGENT, broken, named, step, stored } from "./journals.js";

const FIRST = step(1, "before", AGENT, "run-pre-stop", "one");
const SECOND = step(3, "before", "agent-node-1#2", "run-pre-stop", "one");

describe("pre-stop-once", () => {
  test("lets it run in each container, and again where nobody can know of it", () => {
    expect(broken(preStopOnce, [FIRST, step(2, "before", AGENT, "run-pre-stop", "two")])).toEqual([]);
    expect(broken(preStopOnce, [FIRST, stored(2, "nodepodrestarts", named("node-1"), "DELETED"), SECOND])).toEqual([]);
  });

  test("finds that it ran twice, also by two lives", () => {
    expect(broken(preStopOnce, [FIRST, stored(2, "nodepodrestarts", named("node-2"), "DELETED"), SECOND])).toEqual(["pre-stop-once"]);
  });
});
