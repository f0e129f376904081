import type { Flow } from "./flow.js";
import { setProblems } from "./set-problems.js";
import { CANARY, changeTemplate, createSet, publishImages, type Template } from "./workload.js";

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
  seasonsFrom: 20,
  prepare(cluster, { shape, version }) {
    publishImages(cluster);
    createSet(cluster, shape, templateOf(version));
  },
  edit: (cluster, { shape, version }) => changeTemplate(cluster, shape, templateOf(version)),
  problems: setProblems,
  allowanceMs: ({ podCount, maxUnavailable, graceSeconds }) => Math.ceil(podCount / maxUnavailable) * (11_000 + graceSeconds * 1_000),
};

function templateOf(version: number): Template {
  return { image: "lab.local/app:v0", config: `${CANARY}${String(version)}` };
}
