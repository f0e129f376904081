import { describe, expect, test } from "@jest/globals";
import type { CloneSetSpec } from "../../../../src/api/clone-set.js";
import { unsupportedFields } from "../../../../src/core/clone-set/unsupported-fields.js";
import { makeCloneSet } from "../../../support/clone-set.js";

const cases: readonly { readonly spec: Partial<CloneSetSpec>; readonly field: string; readonly stops: string }[] = [
  { spec: { volumeClaimTemplates: [{}] }, field: "spec.volumeClaimTemplates", stops: "everything" },
  { spec: { scaleStrategy: { podsToDelete: ["a"] } }, field: "spec.scaleStrategy.podsToDelete", stops: "everything" },
  { spec: { scaleStrategy: { maxUnavailable: 1 } }, field: "spec.scaleStrategy.maxUnavailable", stops: "everything" },
  { spec: { scaleStrategy: { disablePVCReuse: true } }, field: "spec.scaleStrategy.disablePVCReuse", stops: "everything" },
  { spec: { lifecycle: { preDelete: { markPodNotReady: true } } }, field: "spec.lifecycle.preDelete", stops: "everything" },
  { spec: { lifecycle: { preNormal: { finalizersHandler: ["a/b"] } } }, field: "spec.lifecycle.preNormal", stops: "everything" },
  { spec: { lifecycle: { inPlaceUpdate: { labelsHandler: { a: "b" } } } }, field: "spec.lifecycle.inPlaceUpdate", stops: "updates" },
  { spec: { progressDeadlineSeconds: 60 }, field: "spec.progressDeadlineSeconds", stops: "updates" },
  { spec: { updateStrategy: { type: "OnDelete" } }, field: 'spec.updateStrategy.type "OnDelete"', stops: "updates" },
  { spec: { updateStrategy: { maxSurge: "10%" } }, field: "spec.updateStrategy.maxSurge", stops: "updates" },
  {
    spec: { updateStrategy: { priorityStrategy: { orderPriority: [{ orderedKey: "a" }] } } },
    field: "spec.updateStrategy.priorityStrategy.orderPriority",
    stops: "updates",
  },
  {
    spec: { updateStrategy: { scatterStrategy: [{ key: "a", value: "b" }] } },
    field: "spec.updateStrategy.scatterStrategy",
    stops: "updates",
  },
  {
    spec: { updateStrategy: { inPlaceUpdateStrategy: { imagePreDownloadParallelism: 2 } } },
    field: "spec.updateStrategy.inPlaceUpdateStrategy.imagePreDownloadParallelism",
    stops: "updates",
  },
];

describe("unsupportedFields()", () => {
  test.each(cases)("names $field and stops $stops", ({ spec, field, stops }) => {
    expect(unsupportedFields(makeCloneSet(spec).spec)).toEqual([{ field, stops }]);
  });

  test.each<Partial<CloneSetSpec>>([
    {},
    { volumeClaimTemplates: [], scaleStrategy: { podsToDelete: [], disablePVCReuse: false }, lifecycle: { preDelete: {} } },
    { progressDeadlineSeconds: 2_147_483_647, updateStrategy: { maxSurge: 0, scatterStrategy: [], priorityStrategy: {} } },
    { updateStrategy: { maxSurge: "0%", inPlaceUpdateStrategy: { gracePeriodSeconds: 5 }, paused: true, partition: "10%" } },
  ])("accepts the empty and default forms of %j", (spec) => {
    expect(unsupportedFields(makeCloneSet(spec).spec)).toEqual([]);
  });
});
