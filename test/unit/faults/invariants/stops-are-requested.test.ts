import { describe, expect, test } from "@jest/globals";
import { stopsAreRequested } from "../../../faults/invariants/stops-are-requested.js";
import type { StoredObject } from "../../../../src/sim/api-server/json.js";
import { AGENT, app, broken, container, named, read, step, stored } from "./journals.js";

function asking(id: string, request: object = {}): StoredObject {
  const requests = [{ id: "r", container: "app", containerID: `containerd://${id}`, ...request }];
  return named("node-1", { spec: { podRestarts: [{ uid: "web-a-uid", namespace: "shop", name: "web-a", requests }] } });
}

const BEGUN = [container(1, "started", app("one", "old"))];
const STOP = step(5_000, "before", AGENT, "stop-container", "one");

describe("stops-are-requested", () => {
  test("lets pass what a request names, or named until a moment ago", () => {
    const asked = [...BEGUN, stored(2, "nodepodrestarts", asking("one")), read(3, AGENT, "nodepodrestarts")];
    expect(broken(stopsAreRequested, [...asked, STOP])).toEqual([]);
    const withdrawn = [stored(4_500, "nodepodrestarts", named("node-1", { spec: {} })), read(4_501, AGENT, "nodepodrestarts")];
    expect(broken(stopsAreRequested, [...asked, ...withdrawn, STOP])).toEqual([]);
  });

  test("finds a stop that nobody asked for", () => {
    for (const object of [asking("two"), asking("one", { observe: true }), named("node-1", { spec: {} })]) {
      expect(
        broken(stopsAreRequested, [...BEGUN, stored(2, "nodepodrestarts", object), read(3, AGENT, "nodepodrestarts"), STOP]),
      ).toHaveLength(1);
    }
  });

  test("finds a stop long after the agent had read that it is not wanted any more", () => {
    const entries = [
      ...BEGUN,
      stored(2, "nodepodrestarts", asking("one")),
      stored(3_000, "nodepodrestarts", named("node-1", { spec: {} })),
      read(3_001, AGENT, "nodepodrestarts"),
      STOP,
    ];
    expect(broken(stopsAreRequested, entries)).toEqual(["stops-are-requested"]);
  });
});
