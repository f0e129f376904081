import { describe, expect, test } from "@jest/globals";
import { stopsOnce } from "../../../faults/invariants/stops-once.js";
import { AGENT, app, broken, container, step } from "./journals.js";

const FIRST = [
  container(1, "started", app("one", "old")),
  step(10, "before", AGENT, "stop-container", "one"),
  step(20, "received", AGENT, "stop-container", "one", "OK"),
];
const LISTED = [step(3_000, "applied", AGENT, "list-containers", ""), step(3_001, "received", AGENT, "list-containers", "", "OK")];
const SECOND = step(3_002, "before", AGENT, "stop-container", "one");

describe("stops-once", () => {
  test("lets a stop be repeated while the container runs, or while a list may show it running", () => {
    expect(broken(stopsOnce, [...FIRST, ...LISTED, SECOND])).toEqual([]);
    expect(broken(stopsOnce, [...FIRST, container(2_500, "ended", app("one", "old")), ...LISTED, SECOND])).toEqual([]);
  });

  test("finds a stop of what a list showed as stopped", () => {
    expect(broken(stopsOnce, [...FIRST, container(15, "ended", app("one", "old")), ...LISTED, SECOND])).toEqual(["stops-once"]);
  });
});
