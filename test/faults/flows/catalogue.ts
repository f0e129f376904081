import { drainedRestart } from "./drained-restart.js";
import { envUpdate } from "./env-update.js";
import type { Flow } from "./flow.js";
import { imageUpdate } from "./image-update.js";
import { pullJob } from "./pull-job.js";
import { recreate } from "./recreate.js";

/** Every flow there is. */
export const FLOWS: readonly Flow[] = [envUpdate, drainedRestart, imageUpdate, recreate, pullJob];

/** @throws for a name that no flow has */
export function flowOf(name: string): Flow {
  const flow = FLOWS.find((candidate) => candidate.name === name);
  if (flow === undefined) throw new Error(`Cannot run the plan: there is no flow "${name}"`);
  return flow;
}
