import type { Flow } from "./flow.js";
import { setProblems } from "./set-problems.js";
import { CANARY, changeTemplate, createSet, publishImages, type Template } from "./workload.js";

/** Image and annotation change together: the kubelet restarts the container, we only watch. */
export const imageUpdate: Flow = {
  name: "image-update",
  steps: ["create-revision", "close-gate", "change-pod", "request-restart", "report-restart", "open-gate", "write-set-status"],
  prepare(cluster, { shape, version }) {
    publishImages(cluster);
    createSet(cluster, shape, templateOf(version));
  },
  edit: (cluster, { shape, version }) => changeTemplate(cluster, shape, templateOf(version)),
  problems: setProblems,
  allowanceMs: ({ podCount, maxUnavailable, graceSeconds }) => Math.ceil(podCount / maxUnavailable) * (12_000 + graceSeconds * 1_000),
};

function templateOf(version: number): Template {
  return { image: `lab.local/app:v${String(version)}`, config: `${CANARY}${String(version)}` };
}
