import type { Pod } from "../../api/pod.js";
import type { Clock } from "../../lib/clock.js";
import type { SimContainer } from "../runtime/entities.js";
import type { ExecCall, RuntimeWorld } from "../runtime/runtime-world.js";
import type { NodeApi } from "./node-api.js";
import { specsOf } from "./pod-spec.js";

export interface KillerOptions {
  readonly api: Pick<NodeApi, "record">;
  readonly world: Pick<RuntimeWorld, "containers" | "exec">;
  readonly clock: Clock;
}

/** One container to end, and what people are told. */
export interface Killing {
  readonly pod: Pod;
  readonly container: SimContainer;
  readonly message: string;
  readonly graceSeconds: number;
}

/** What every container has to end by itself, however short its grace period is or however little preStop has left of it. */
const MIN_STOP_SECONDS = 2;

/** Ends a container as the kubelet does: event, preStop, a stop with what is left of the grace period. Harmless for one that has ended. */
export async function killContainer(options: KillerOptions, killing: Killing, signal: AbortSignal): Promise<void> {
  const { api, world, clock } = options;
  const { pod, container, message, graceSeconds } = killing;
  api.record(pod, { type: "Normal", reason: "Killing", message, container: container.name });
  const startMs = clock.monotonicMs();
  await runPreStop(options, killing, signal);
  const usedSeconds = Math.trunc((clock.monotonicMs() - startMs) / 1000);
  if (!world.containers.has(container.id)) return;
  await world.containers.stop(container.id, Math.max(MIN_STOP_SECONDS, graceSeconds - usedSeconds) * 1000, signal);
}

async function runPreStop(options: KillerOptions, killing: Killing, signal: AbortSignal): Promise<void> {
  const { pod, container, graceSeconds } = killing;
  const preStop = specsOf(pod).find(({ name }) => name === container.name)?.lifecycle?.preStop;
  if (graceSeconds <= 0) return;
  if (preStop?.sleep !== undefined) return options.clock.sleep(Math.min(preStop.sleep.seconds, graceSeconds) * 1000, signal);
  if (preStop?.exec === undefined) return;
  const call = { containerId: container.id, command: preStop.exec.command ?? [], timeoutSeconds: graceSeconds };
  if (await passes(options, call, signal)) return;
  options.api.record(pod, { type: "Warning", reason: "FailedPreStopHook", message: "PreStopHook failed", container: container.name });
}

/** Whether a hook is fine, or is waited for no longer. */
async function passes({ world, clock }: KillerOptions, call: ExecCall, signal: AbortSignal): Promise<boolean> {
  const ended = new AbortController();
  const both = AbortSignal.any([signal, ended.signal]);
  try {
    const timeout = clock.sleep(call.timeoutSeconds * 1000, both).then(() => ({ exitCode: 0 }));
    const { exitCode } = await Promise.race([world.exec(call, both), timeout]);
    return exitCode === 0;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    ended.abort(new Error("the hook has ended"));
  }
}
