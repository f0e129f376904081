import { TEMPLATE_TYPES } from "../revision/template-types.js";
import type { Shape } from "../values/json-shape.js";

const HOOK: Shape = { labelsHandler: "map", finalizersHandler: ["text"], markPodNotReady: "flag" };

/**
 * The types of every field of a CloneSet that a rule reads, but for those that have rules of their own: selectors, numbers or percentages.
 *
 * The CRD's schema sees to them, but for the template, which it leaves open; and a schema can be relaxed by hand.
 */
export const SPEC_TYPES: Shape = {
  replicas: "int32",
  minReadySeconds: "int32",
  revisionHistoryLimit: "int32",
  progressDeadlineSeconds: "int32",
  selector: {},
  template: TEMPLATE_TYPES,
  scaleStrategy: {},
  lifecycle: { preDelete: HOOK, preNormal: HOOK, inPlaceUpdate: HOOK },
  updateStrategy: {
    type: "text",
    paused: "flag",
    priorityStrategy: {},
    inPlaceUpdateStrategy: {
      gracePeriodSeconds: "int32",
      imagePreDownloadTimeoutSeconds: "int32",
      imagePreDownloadMinUpdatedReadyPods: "int32",
    },
  },
};
