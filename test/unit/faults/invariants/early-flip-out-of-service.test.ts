import { describe, expect, test } from "@jest/globals";
import { earlyFlipOutOfService } from "../../../faults/invariants/early-flip-out-of-service.js";
import type { Entry } from "../../../faults/journal.js";
import type { StoredObject } from "../../../../src/sim/api-server/json.js";
import { app, broken, container, CONTROLLER, pod, step, stored } from "./journals.js";

const annotations = { "apps.kruise.io/inplace-update-state": "{}" };

function posted(id: string, facts: { readonly gate: "True" | "False"; readonly isReady: boolean }): StoredObject {
  const object = pod("web-a", { ...facts, annotations });
  const status = object["status"] as object;
  return { ...object, status: { ...status, containerStatuses: [{ name: "app", containerID: `containerd://${id}` }] } };
}

/** The app has restarted as `two`; its pod's status shows `id` when the gate opens. */
function opened(id: string, isReady: boolean): readonly Entry[] {
  return [
    container(1_000, "started", { ...app("one", "old"), attempt: 0 }),
    container(6_000, "started", { ...app("two", "new"), attempt: 1 }),
    stored(5_000, "pods", posted("one", { gate: "False", isReady })),
    stored(9_000, "pods", posted(id, { gate: "True", isReady })),
    step(9_000, "applied", CONTROLLER, "open-gate", "PATCH /api/v1/namespaces/shop/pods/web-a/status"),
  ];
}

describe("early-flip-out-of-service", () => {
  test("lets a gate open early on a pod that is out of service, and any whose status shows the new instance", () => {
    expect(broken(earlyFlipOutOfService, opened("one", false))).toEqual([]);
    expect(broken(earlyFlipOutOfService, opened("two", true))).toEqual([]);
  });

  test("finds a gate that opens early on a pod that never left service", () => {
    expect(broken(earlyFlipOutOfService, opened("one", true))).toEqual(["early-flip-out-of-service"]);
  });
});
