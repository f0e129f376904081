import { describe, expect, test } from "@jest/globals";
import { earlyFlipIsTrue } from "../../../faults/invariants/early-flip-is-true.js";
import type { Entry } from "../../../faults/journal.js";
import { app, broken, container, CONTROLLER, pod, step, stored } from "./journals.js";

const STATE = { "apps.kruise.io/inplace-update-state": "{}" };

function opened(annotations: Readonly<Record<string, string>> = STATE): readonly Entry[] {
  return [
    stored(5_000, "pods", pod("web-a", { gate: "False", annotations })),
    stored(9_000, "pods", pod("web-a", { gate: "True", annotations })),
    step(9_000, "applied", CONTROLLER, "open-gate", "PATCH /api/v1/namespaces/shop/pods/web-a/status"),
  ];
}

describe("early-flip-is-true", () => {
  test("lets the gate open once the app runs as it should, and where nothing was changed", () => {
    expect(broken(earlyFlipIsTrue, [container(6_000, "started", app("two", "new")), ...opened()])).toEqual([]);
    expect(broken(earlyFlipIsTrue, [container(8_000, "ended", app("two", "new")), ...opened({})])).toEqual([]);
  });

  test("finds a gate that opens on an app with the old value, or on none", () => {
    expect(broken(earlyFlipIsTrue, [container(6_000, "started", app("one", "old")), ...opened()])).toEqual(["early-flip-is-true"]);
    const ended = [container(6_000, "started", app("two", "new")), container(7_000, "ended", app("two", "new"))];
    const stop = step(6_900, "before", "agent-node-1#1", "stop-container", "two");
    expect(broken(earlyFlipIsTrue, [...ended, stop, ...opened()])).toEqual(["early-flip-is-true"]);
    expect(broken(earlyFlipIsTrue, [...ended, ...opened()])).toEqual([]); // somebody else ended it
  });
});
