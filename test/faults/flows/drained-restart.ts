import { envUpdate } from "./env-update.js";
import type { Flow } from "./flow.js";

/** What meets the agent, its runtime and its way to the API server, and whoever changes their mind; the rest is env-update's. */
const FAULTS_OF_AGENTS = [
  "agent-crash",
  "agent-terminate",
  "agent-pause",
  "agent-overlap",
  "all-controllers-crash",
  "answer-409",
  "answer-503",
  "lose-reply",
  "drop-request",
  "api-restart",
  "connection-cut",
  "partition",
  "slow-link",
  "server-behind",
  "stop-fails-but-dies",
  "stop-answers-but-runs",
  "stop-outlives-deadline",
  "killed-as-we-stop",
  "runtime-restart",
  "node-reboot",
  "runtime-slow",
  "stale-lists",
  "container-killed",
  "kubelet-writes-late",
  "user-edits-again",
  "user-rolls-back",
  "user-rolls-back-late",
];

/** The same change where the container has a preStop: it runs before the stop, takes its time, and never runs twice. */
export const drainedRestart: Flow = {
  ...envUpdate,
  name: "drained-restart",
  hasPreStop: true,
  steps: ["request-restart", "report-stopping", "run-pre-stop", "stop-container", "report-restart"],
  faults: FAULTS_OF_AGENTS,
};
