import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { podsReportedAnew } from "../../../../src/controller/clone-set/facts.js";
import { specChange } from "../../../../src/agent/container-restart/sources.js";
import type { NodePodRestart } from "../../../../src/api/node-pod-restart.js";
import { decideRestart } from "../../../../src/core/container-restart/decide.js";
import { buildNodeStatus } from "../../../../src/core/container-restart/node-status.js";
import { buildPodRestarts } from "../../../../src/core/container-restart/requests.js";
import { refusedReports } from "../../../../src/core/container-restart/trusted-report.js";
import { wellFormed } from "../../../../src/core/container-restart/well-formed.js";
import { mangled } from "../../../support/mangle.js";
import { makeInstance, makeNodeObject, makeObservation, makeStop } from "./builders.js";
import { makeFacts, makeSituation } from "./request-builders.js";

const whole = makeNodeObject({
  generation: 3,
  podRestarts: [
    {
      namespace: "shop",
      name: "pod-uid-1",
      uid: "uid-1",
      requests: [makeStop({ containerID: "containerd://c0" }), { id: "r2", container: "side", observe: true, untilPlainHash: 7 }],
    },
    { namespace: "shop", name: "web-1", uid: "uid-2", requests: [] },
  ],
  status: {
    observedGeneration: 3,
    podRestartStatuses: [
      {
        uid: "uid-1",
        results: [{ id: "r1", phase: "Stopping", reason: "x", message: "y" }],
        containers: [makeFacts(), makeFacts({ name: "side" })],
      },
    ],
  },
});

describe("wellFormed()", () => {
  test("changes nothing of an object that keeps to its schema", () => {
    expect(wellFormed(whole)).toEqual(whole);
    expect(wellFormed(makeNodeObject())).toEqual(makeNodeObject());
  });

  test("leaves out a broken entry and keeps its neighbours", () => {
    const [first, second] = whole.spec.podRestarts ?? [];
    const odd = {
      ...whole,
      spec: { podRestarts: [{ ...first, requests: [{ id: 1 }, makeStop({ stopWhile: {} as never })] }, null, second] },
    };
    expect(wellFormed(odd as unknown as NodePodRestart).spec.podRestarts).toEqual([{ ...first, requests: [] }, second]);
  });

  test("makes every rule safe from what it is given, and a stop never wider than it was written", () => {
    fc.assert(
      fc.property(mangled(whole), mangled(whole), (odd, later) => {
        const object = wellFormed({ ...odd, metadata: whole.metadata });
        const after = wellFormed({ ...later, metadata: whole.metadata });
        specChange({ key: "node-a", before: object, after });
        podsReportedAnew({ key: "node-a", before: object, after });
        refusedReports(object);
        buildNodeStatus(object, new Map());
        buildPodRestarts(makeSituation({ previous: object }));
        for (const { requests } of object.spec.podRestarts ?? [])
          for (const request of requests) {
            const instances = [makeInstance({ id: "c0" }), makeInstance({ id: "other", container: "side" })];
            const decision = decideRestart(request, makeObservation({ instances, envs: { c0: { type: "hash", hash: 5 } } }));
            if (decision.type !== "stop") continue;
            expect(`containerd://${decision.instanceId}`).toBe(request.containerID);
            if (odd.spec.podRestarts?.[0]?.requests.some((one) => one.id === request.id && "stopWhile" in one))
              expect(request.stopWhile).toBeDefined();
          }
      }),
      { numRuns: 1_000 },
    );
  });
});
