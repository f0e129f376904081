import type { Clock } from "../../lib/clock.js";
import type { DemoCluster } from "./cluster.js";
import type { ProductProcess } from "./product-process.js";
import type { Screen } from "./screen.js";
import type { SidecarLine } from "./sidecar-line.js";
import { StepFailure } from "./step-failure.js";
import { hasRolledOut } from "./workload.js";

/** Everything that the steps of the story work on. */
export interface Stage {
  readonly cluster: DemoCluster;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The value that the annotation has at first. */
  readonly firstValue: string;
  /** The value that it gets. */
  readonly value: string;
  /** The agent that runs now; undefined: none. */
  readonly agent: () => ProductProcess | undefined;
  /** The same, from now on expected to be killed. */
  readonly victim: () => ProductProcess | undefined;
  readonly startAgent: () => void;
  /** Why the story cannot go on: a process of ours, or a model, has broken. */
  readonly broken: () => string | undefined;
  /** Told by the kubelet model's period: nothing is faster than that. */
  readonly relistMs: number;
  /** The connection to the sidecar of the moment. */
  line: SidecarLine | undefined;
}

/** One number each of what an update took. */
export interface Cost {
  readonly seconds: number;
  readonly pulls: number;
  readonly apiWrites: number;
}

const POLL_MS = 25;
const PATIENCE_MS = 20_000;
/** In looks of the kubelet: it works on the pod's last change for so long; a change in that time would wait for it, and the wait would be counted. */
const REST_LOOKS = 2.1;

/** Waits until a check gives something else than undefined or false. @throws {StepFailure} that names what is missing */
export async function until<T>(stage: Stage, what: string, check: () => T | undefined | false): Promise<T> {
  const { clock, screen, signal } = stage;
  const startMs = clock.monotonicMs();
  const patienceMs = PATIENCE_MS * (stage.relistMs / 1000);
  for (;;) {
    signal.throwIfAborted();
    const found = check();
    if (found !== undefined && found !== false) return found;
    const broken = stage.broken();
    if (broken !== undefined) throw new StepFailure(`Cannot go on waiting for ${what}: ${broken}`);
    const waitedMs = clock.monotonicMs() - startMs;
    if (waitedMs > patienceMs) throw new StepFailure(`Cannot see ${what}: still not so after ${(waitedMs / 1000).toFixed(0)} s`);
    screen.progress(`… ${what}, ${(waitedMs / 1000).toFixed(1)} s`);
    await clock.sleep(POLL_MS, signal);
  }
}

/** Waits until nothing of the last change is under way any more, so that the next one is measured from rest. */
export function rest({ clock, screen, signal, relistMs }: Stage): Promise<void> {
  screen.progress("… a moment of rest");
  return clock.sleep(REST_LOOKS * relistMs, signal);
}

/** Makes a change and waits until it has rolled out. */
export async function measure(stage: Stage, change: () => void): Promise<Cost> {
  const { cluster, clock } = stage;
  const before = { pulls: cluster.pulls(), writes: cluster.writes(), ms: clock.monotonicMs() };
  change();
  await until(stage, "the pod is ready with the new template", () => hasRolledOut(cluster));
  const seconds = Math.round((clock.monotonicMs() - before.ms) / 10) / 100;
  return { seconds, pulls: cluster.pulls() - before.pulls, apiWrites: cluster.writes() - before.writes };
}
