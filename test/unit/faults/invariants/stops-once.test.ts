import { describe, expect, test } from "@jest/globals";
import { stopsOnce } from "../../../faults/invariants/stops-once.js";
import type { Entry } from "../../../faults/journal.js";
import { AGENT, app, at, broken, container, step } from "./journals.js";

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

  test("lets a request make its stop although the container has ended while it ran preStop", () => {
    const preStop = step(2_000, "before", AGENT, "run-pre-stop", "one");
    const ended = container(2_500, "ended", app("one", "old"));
    const listed = LISTED.map((entry) => ({ ...entry, atMs: entry.atMs + 2_000 }));
    const [second, third] = [
      { ...SECOND, atMs: 5_002 },
      { ...SECOND, atMs: 5_003 },
    ];
    expect(broken(stopsOnce, [...FIRST, preStop, ended, ...listed, second])).toEqual([]);
    expect(broken(stopsOnce, [...FIRST, preStop, ended, ...listed, second, third])).toEqual(["stops-once"]);
  });

  test("lets another life finish what it was about beside the first, not one that came later", () => {
    const other = "agent-node-1#2";
    const born = (atMs: number): Entry => at(atMs, { type: "life", actor: other, change: "starts", message: "" });
    const ended = container(15, "ended", app("one", "old"));
    const listed = LISTED.map((entry) => ({ ...entry, actor: other }));
    const second = step(3_002, "before", other, "stop-container", "one");
    expect(broken(stopsOnce, [born(5), ...FIRST, ended, ...listed, second])).toEqual([]);
    expect(broken(stopsOnce, [...FIRST, ended, born(2_000), ...listed, second])).toEqual(["stops-once"]);
  });

  test("finds a stop of what a list showed as stopped", () => {
    expect(broken(stopsOnce, [...FIRST, container(15, "ended", app("one", "old")), ...LISTED, SECOND])).toEqual(["stops-once"]);
  });
});
