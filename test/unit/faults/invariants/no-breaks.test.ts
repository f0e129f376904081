import { describe, expect, test } from "@jest/globals";
import { noBreaks } from "../../../faults/invariants/no-breaks.js";
import type { Entry } from "../../../faults/journal.js";
import { at, broken, CONTROLLER } from "./journals.js";

function logged(level: "warn" | "error", message: string, kind: string): Entry {
  return at(1, { type: "log", actor: CONTROLLER, level, message, fields: JSON.stringify({ failure: { kind } }) });
}

describe("no-breaks", () => {
  test("lets the world refuse, and processes be ended", () => {
    const ends = at(1, { type: "life", actor: CONTROLLER, change: "ends", message: "" });
    expect(
      broken(noBreaks, [ends, logged("error", "Reconcile fails", "denied"), logged("warn", "Status write fails", "transient")]),
    ).toEqual([]);
  });

  test("finds a process that ends by itself, and everything that is logged as a bug", () => {
    const breaks = at(1, { type: "life", actor: CONTROLLER, change: "breaks", message: "x is not a function" });
    for (const entry of [breaks, logged("error", "Reconcile fails", "bug"), logged("error", "Change handler fails", "transient")]) {
      expect(broken(noBreaks, [entry])).toEqual(["no-breaks"]);
    }
  });
});
