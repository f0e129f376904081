import type { Flow } from "./flow.js";
import { setProblems } from "./set-problems.js";
import { CANARY, changeTemplate, createSet, publishImages } from "./workload.js";

const BEGUN_WITH = { image: "lab.local/app:v0", config: `${CANARY}0` };

/** An annotation that a container reads through its environment changes: that container restarts in its pod. */
export const envUpdate: Flow = {
  name: "env-update",
  steps: [
    "create-revision",
    "close-gate",
    "request-restart",
    "read-env",
    "stop-container",
    "report-restart",
    "open-gate",
    "write-set-status",
    "renew-lease",
  ],
  prepare(cluster, shape) {
    publishImages(cluster);
    createSet(cluster, shape, BEGUN_WITH);
  },
  edit: (cluster, { shape, version }) => changeTemplate(cluster, shape, { ...BEGUN_WITH, config: `${CANARY}${String(version)}` }),
  problems: setProblems,
  allowanceMs: ({ podCount, maxUnavailable, graceSeconds }) => Math.ceil(podCount / maxUnavailable) * (9_000 + graceSeconds * 1_000),
};
