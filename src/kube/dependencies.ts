import type { Clock } from "../lib/clock.js";
import type { FeatureGates } from "../lib/feature-gates.js";
import type { Logger } from "../lib/logger.js";
import type { Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";
import type { KubeClient } from "./client.js";
import type { EventRecorder } from "./event-recorder.js";

/** What the reconcilers of both processes are built from, whatever they reconcile. */
export interface ReconcilerDependencies {
  readonly client: KubeClient;
  readonly events: EventRecorder;
  readonly gates: FeatureGates;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
