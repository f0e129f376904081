import { describe, expect, test } from "@jest/globals";
import { restartsBounded } from "../../../faults/invariants/restarts-bounded.js";
import type { Entry } from "../../../faults/journal.js";
import { AGENT, app, broken, container, pod, step, stored } from "./journals.js";

function stopsOf(...ids: readonly string[]): readonly Entry[] {
  return ids.flatMap((id) => [container(10, "started", app(id, "old")), step(11, "applied", AGENT, "stop-container", id)]);
}

const CHANGED = [stored(1, "pods", pod("web-a", { config: "old" })), stored(2, "pods", pod("web-a", { config: "new" }))];

describe("restarts-bounded", () => {
  test("lets each change take a few tries, and each instance be asked often", () => {
    expect(broken(restartsBounded, [...CHANGED, ...stopsOf("one", "one", "one", "one", "one", "two", "three", "four")])).toEqual([]);
  });

  test("finds a container that is restarted on and on", () => {
    expect(broken(restartsBounded, [...CHANGED, ...stopsOf("one", "two", "three", "four", "five")])).toEqual(["restarts-bounded"]);
  });
});
