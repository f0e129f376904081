import { describe, expect, test } from "@jest/globals";
import { quietAtRest } from "../../../faults/invariants/quiet-at-rest.js";
import { AGENT, at, broken, CONTROLLER, step } from "./journals.js";

const REST = at(10, { type: "rest" });
const WRITE = step(20, "before", CONTROLLER, "write-set-status", "PUT /apis/apps.kruise.io/v1alpha1/namespaces/shop/clonesets/web/status");

describe("quiet-at-rest", () => {
  test("lets leases be renewed and things be read", () => {
    const lease = step(
      20,
      "before",
      CONTROLLER,
      "renew-lease",
      "PUT /apis/coordination.k8s.io/v1/namespaces/podmend-system/leases/podmend-controller",
    );
    expect(broken(quietAtRest, [REST, lease, step(30, "before", AGENT, "list", "GET /api/v1/pods?limit=500")])).toEqual([]);
    expect(broken(quietAtRest, [WRITE, REST])).toEqual([]);
    expect(broken(quietAtRest, [WRITE])).toEqual([]);
  });

  test("finds writes and stops", () => {
    expect(broken(quietAtRest, [REST, WRITE])).toEqual(["quiet-at-rest"]);
    expect(broken(quietAtRest, [REST, step(20, "before", AGENT, "stop-container", "one")])).toEqual(["quiet-at-rest"]);
  });
});
