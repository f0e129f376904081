import { describe, expect, test } from "@jest/globals";
import { CANARY } from "../../../faults/flows/workload.js";
import { noValuesLeak } from "../../../faults/invariants/no-values-leak.js";
import { AGENT, at, broken, named, pod, stored } from "./journals.js";

describe("no-values-leak", () => {
  test("lets values be where users put them", () => {
    const entries = [
      stored(1, "pods", pod("web-a", { config: `${CANARY}1` })),
      stored(2, "events", named("event", { message: "Stopped app" })),
    ];
    expect(broken(noValuesLeak, entries)).toEqual([]);
  });

  test("finds them in objects of nodes, in events and in logs", () => {
    const log = at(1, { type: "log", actor: AGENT, level: "info", message: "Container stopped", fields: `{"env":"${CANARY}1"}` });
    const objects = ["nodepodrestarts", "nodeimages", "events"].map((plural) =>
      stored(1, plural, named("node-1", { value: `${CANARY}1` })),
    );
    for (const entry of [log, ...objects]) expect(broken(noValuesLeak, [entry])).toEqual(["no-values-leak"]);
  });
});
