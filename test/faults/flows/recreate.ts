import type { Flow } from "./flow.js";
import { setProblems } from "./set-problems.js";
import { CANARY, changeTemplate, createSet, publishImages, type Template } from "./workload.js";

/** The command changes, which no pod can do in place: pods are replaced. */
export const recreate: Flow = {
  name: "recreate",
  steps: ["create-revision", "delete-pod", "create-pod", "write-set-status"],
  prepare(cluster, { shape, version }) {
    publishImages(cluster);
    createSet(cluster, shape, templateOf(version));
  },
  edit: (cluster, { shape, version }) => changeTemplate(cluster, shape, templateOf(version)),
  problems: setProblems,
  allowanceMs: ({ podCount, maxUnavailable }) => Math.ceil(podCount / maxUnavailable) * 12_000,
};

function templateOf(version: number): Template {
  return { image: "lab.local/app:v0", config: `${CANARY}0`, command: `/server-${String(version)}` };
}
