import type { Shape } from "../values/json-shape.js";

const CONTAINER: Shape = { name: "text", image: "text", env: [{}] };

/** The types of every field of a pod template that a rule reads. */
export const TEMPLATE_TYPES: Shape = {
  metadata: { labels: "map", annotations: "map", finalizers: ["text"] },
  spec: { containers: [CONTAINER], initContainers: [CONTAINER], readinessGates: [{ conditionType: "text" }] },
};
