import { describe, expect, test } from "@jest/globals";
import { noNeedlessStop } from "../../../faults/invariants/no-needless-stop.js";
import { AGENT, app, at, broken, CONTROLLER, container, named, pod, read, step, stored } from "./journals.js";

const RUNNING = container(1, "started", app("one", "old"));
const LED = [4, 8, 12, 16, 20].map((second) => step(second * 1_000, "received", CONTROLLER, "renew-lease", "lease", "200"));
const STOP = step(20_000, "before", AGENT, "stop-container", "one");

describe("no-needless-stop", () => {
  test("lets a container be stopped whose pod wants another value, or did a moment ago", () => {
    expect(broken(noNeedlessStop, [RUNNING, stored(2, "pods", pod("web-a", { config: "new" })), STOP])).toEqual([]);
    const rolledBack = [stored(2, "pods", pod("web-a", { config: "new" })), stored(19_100, "pods", pod("web-a", { config: "old" }))];
    expect(broken(noNeedlessStop, [RUNNING, ...LED, ...rolledBack, STOP])).toEqual([]);
  });

  test("gives a withdrawal more time where something has happened to controllers or API server", () => {
    const rolledBack = [stored(2, "pods", pod("web-a", { config: "new" })), stored(18_000, "pods", pod("web-a", { config: "old" }))];
    const fault = (name: string) => at(10_000, { type: "fault", fault: name, change: "begins", target: "" });
    expect(broken(noNeedlessStop, [RUNNING, ...LED, fault("slow-link"), ...rolledBack, STOP])).toEqual([]);
    expect(broken(noNeedlessStop, [RUNNING, ...LED, fault("agent-pause"), ...rolledBack, STOP])).toEqual(["no-needless-stop"]);
  });

  test("lets an agent stop what it was asked to stop, as long as it cannot know that the request was withdrawn", () => {
    const withdrawn = [
      stored(2, "pods", pod("web-a", { config: "new" })),
      stored(3, "nodepodrestarts", named("node-1")),
      read(4, AGENT, "nodepodrestarts"),
      stored(9_000, "pods", pod("web-a", { config: "old" })),
      stored(9_001, "nodepodrestarts", named("node-1")),
    ];
    expect(broken(noNeedlessStop, [RUNNING, ...LED, ...withdrawn, STOP])).toEqual([]);
    expect(broken(noNeedlessStop, [RUNNING, ...LED, ...withdrawn, read(9_002, AGENT, "nodepodrestarts"), STOP])).toEqual([
      "no-needless-stop",
    ]);
  });

  test("lets an agent stop what nobody withdrew, because nobody led", () => {
    const changes = [stored(2, "pods", pod("web-a", { config: "new" })), stored(9_000, "pods", pod("web-a", { config: "old" }))];
    expect(broken(noNeedlessStop, [RUNNING, ...LED.slice(0, 2), ...changes, STOP])).toEqual([]);
    expect(broken(noNeedlessStop, [RUNNING, ...LED, ...changes, STOP])).toEqual(["no-needless-stop"]);
  });

  test("finds the stop of a container that is as its pod wants it", () => {
    const entries = [
      RUNNING,
      stored(2, "pods", pod("web-a", { config: "new" })),
      stored(9_000, "pods", pod("web-a", { config: "old" })),
      ...LED,
      STOP,
    ];
    expect(broken(noNeedlessStop, entries)).toEqual(["no-needless-stop"]);
  });
});
