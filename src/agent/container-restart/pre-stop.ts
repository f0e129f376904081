import type { PreStopHandler } from "../../core/container-restart/pre-stop.js";
import type { ContainerRuntime } from "../../cri/runtime.js";
import type { Clock } from "../../lib/clock.js";
import { failureMessage } from "../../lib/failure.js";

export interface PreStopRun {
  readonly instanceId: string;
  readonly handler: PreStopHandler;
  /** The handler's share of the grace ends here. */
  readonly graceSeconds: number;
}

/**
 * Runs a container's preStop handler for as long as its grace allows. Its failure never keeps the container from being stopped.
 *
 * @returns what went wrong, in words for an event, without the command's output; undefined if nothing did
 */
export async function runPreStop(
  { runtime, clock }: { readonly runtime: ContainerRuntime; readonly clock: Clock },
  { instanceId, handler, graceSeconds }: PreStopRun,
  signal: AbortSignal,
): Promise<string | undefined> {
  switch (handler.type) {
    case "sleep":
      await clock.sleep(Math.min(handler.seconds, graceSeconds) * 1000, signal);
      return undefined;
    case "unsupported":
      return `The handler is not supported: ${handler.handler}`;
    case "exec":
      try {
        const request = { id: instanceId, command: handler.command, timeoutSeconds: Math.ceil(graceSeconds) };
        const { exitCode } = await runtime.exec(request, signal);
        return exitCode === 0 ? undefined : `The command ended with exit code ${exitCode}`;
      } catch (error) {
        signal.throwIfAborted();
        return failureMessage(error);
      }
  }
}
