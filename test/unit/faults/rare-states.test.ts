import { describe, expect, test } from "@jest/globals";
import { RARE_STATES, rareStates } from "../../faults/rare-states.js";
import { AGENT, app, at, container, step } from "./invariants/journals.js";

describe("rareStates()", () => {
  test("knows at least thirty, each under a name of its own", () => {
    expect(new Set(RARE_STATES.map(({ name }) => name)).size).toBe(RARE_STATES.length);
    expect(RARE_STATES.length).toBeGreaterThanOrEqual(30);
  });

  test("finds none where nothing happens", () => {
    expect(rareStates([])).toEqual([]);
  });

  test("names what a run came to", () => {
    const entries = [
      at(0, { type: "life", actor: AGENT, change: "starts", message: "" }),
      container(1, "started", app("one", "old")),
      step(2, "before", AGENT, "stop-container", "one"),
      at(3, { type: "life", actor: AGENT, change: "crashes", message: "" }),
      container(4, "ended", app("one", "old")),
    ];
    expect(rareStates(entries)).toEqual([
      "a container ends after the agent's life that asked for it",
      "the agent's life ends with a stop unanswered",
    ]);
  });
});
