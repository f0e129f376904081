import type { Flow } from "./flow.js";
import { setProblems } from "./set-problems.js";
import { CANARY, changeTemplate, createSet, publishImages } from "./workload.js";

const BEGUN_WITH = { image: "lab.local/app:v0", config: `${CANARY}0` };

/** The command changes, which no pod can do in place: pods are replaced. */
export const recreate: Flow = {
  name: "recreate",
  steps: ["create-revision", "delete-pod", "create-pod", "write-set-status"],
  prepare(cluster, shape) {
    publishImages(cluster);
    createSet(cluster, shape, { ...BEGUN_WITH, command: "/server-0" });
  },
  edit: (cluster, { shape, version }) => changeTemplate(cluster, shape, { ...BEGUN_WITH, command: `/server-${String(version)}` }),
  problems: setProblems,
  allowanceMs: ({ podCount, maxUnavailable }) => Math.ceil(podCount / maxUnavailable) * 12_000,
};
