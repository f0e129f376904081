import { describe, expect, test } from "@jest/globals";
import { noNeedlessStop } from "../../../faults/invariants/no-needless-stop.js";
import { AGENT, app, broken, container, pod, step, stored } from "./journals.js";

const RUNNING = container(1, "started", app("one", "old"));
const STOP = step(20_000, "before", AGENT, "stop-container", "one");

describe("no-needless-stop", () => {
  test("lets a container be stopped whose pod wants another value, or did a moment ago", () => {
    expect(broken(noNeedlessStop, [RUNNING, stored(2, "pods", pod("web-a", { config: "new" })), STOP])).toEqual([]);
    const rolledBack = [stored(2, "pods", pod("web-a", { config: "new" })), stored(19_000, "pods", pod("web-a", { config: "old" }))];
    expect(broken(noNeedlessStop, [RUNNING, ...rolledBack, STOP])).toEqual([]);
  });

  test("finds the stop of a container that is as its pod wants it", () => {
    const entries = [
      RUNNING,
      stored(2, "pods", pod("web-a", { config: "new" })),
      stored(9_000, "pods", pod("web-a", { config: "old" })),
      STOP,
    ];
    expect(broken(noNeedlessStop, entries)).toEqual(["no-needless-stop"]);
  });
});
