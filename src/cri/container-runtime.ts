import { failureKind, OperationError } from "../lib/failure.js";
import type { CriCalls } from "./calls.js";
import { commonFields, newestFirst, toContainerSummary, toEventType, toMilliseconds } from "./conversion.js";
import type { ContainerStatusOutput } from "./gen/runtime-proto.js";
import type {
  ContainerDetail,
  ContainerEvent,
  ContainerFilter,
  ContainerRuntime,
  ContainerSummary,
  ExecRequest,
  ExecResult,
} from "./runtime.js";
import { parseVerboseInfo } from "./verbose-info.js";

/** For calls that only read. The kubelet waits 2 min, but whoever asks here asks again. */
export const READ_TIMEOUT_MS = 10_000;
const STOP_MARGIN_MS = 30_000;
const EXEC_MARGIN_MS = 10_000;
const API_VERSION = "v1";
const POD_UID_LABEL = "io.kubernetes.pod.uid";

/** The container side of the port, over any transport. */
export function createContainerRuntime(calls: CriCalls): ContainerRuntime {
  return {
    async version(signal) {
      const subject = { verb: "reach", target: "container runtime" };
      const reply = await calls.unary("Version", { version: API_VERSION }, { ...subject, timeoutMs: READ_TIMEOUT_MS, signal });
      return { runtimeName: reply.runtimeName, runtimeVersion: reply.runtimeVersion, apiVersion: reply.runtimeApiVersion };
    },
    listContainers: (filter, signal) => listContainers(calls, filter, signal),
    inspectContainer: (id, signal) => inspectContainer(calls, id, signal),
    async stopContainer({ id, graceSeconds }, signal) {
      const timeoutMs = graceSeconds * 1000 + STOP_MARGIN_MS;
      const options = { verb: "stop container", target: shortId(id), timeoutMs, signal };
      try {
        await calls.unary("StopContainer", { containerId: id, timeout: String(graceSeconds) }, options);
      } catch (error) {
        if (failureKind(error) !== "missing") throw error; // gone is stopped
      }
    },
    exec: (request, signal) => exec(calls, request, signal),
    events: (signal) => events(calls, signal),
  };
}

async function listContainers(calls: CriCalls, filter: ContainerFilter, signal: AbortSignal): Promise<readonly ContainerSummary[]> {
  const options = { verb: "list containers of", target: filter.podUid ?? filter.id ?? "node", timeoutMs: READ_TIMEOUT_MS, signal };
  const request = {
    filter: {
      ...(filter.id === undefined ? {} : { id: filter.id }),
      ...(filter.podUid === undefined ? {} : { labelSelector: { [POD_UID_LABEL]: filter.podUid } }),
    },
  };
  const { containers } = await calls.unary("ListContainers", request, options);
  return newestFirst(containers).map(toContainerSummary);
}

async function inspectContainer(calls: CriCalls, id: string, signal: AbortSignal): Promise<ContainerDetail> {
  const options = { verb: "inspect container", target: shortId(id), timeoutMs: READ_TIMEOUT_MS, signal };
  const { status, info } = await calls.unary("ContainerStatus", { containerId: id, verbose: true }, options);
  if (status === null)
    throw new OperationError("transient", "CRI_INTERNAL", `Cannot inspect container "${shortId(id)}": the reply has no status`);
  const { sandboxId, env } = parseVerboseInfo(info);
  return { ...commonFields(status), podSandboxId: sandboxId ?? "", ...lifeOf(status), env };
}

function lifeOf(status: ContainerStatusOutput): Pick<ContainerDetail, "startedAtMs" | "finishedAtMs" | "exitCode" | "reason"> {
  return {
    startedAtMs: toMilliseconds(status.startedAt),
    finishedAtMs: toMilliseconds(status.finishedAt),
    exitCode: status.exitCode,
    reason: status.reason,
  };
}

async function exec(calls: CriCalls, { id, command, timeoutSeconds }: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
  const subject = { verb: "run command in container", target: shortId(id) };
  if (timeoutSeconds < 1) {
    // To the runtime zero means for ever: our deadline would leave the command running.
    const message = `Cannot ${subject.verb} "${subject.target}": the timeout must be at least 1 s, not ${timeoutSeconds} s`;
    throw new OperationError("invalid", "CRI_INVALID_ARGUMENT", message);
  }
  const request = { containerId: id, cmd: command, timeout: String(timeoutSeconds) };
  const options = { ...subject, timeoutMs: timeoutSeconds * 1000 + EXEC_MARGIN_MS, signal };
  const reply = await calls.unary("ExecSync", request, options);
  return { exitCode: reply.exitCode, stdout: toText(reply.stdout), stderr: toText(reply.stderr) };
}

async function* events(calls: CriCalls, signal: AbortSignal): AsyncGenerator<ContainerEvent, void, undefined> {
  const subject = { verb: "follow events of", target: "container runtime" };
  for await (const event of calls.stream("GetContainerEvents", {}, { ...subject, signal })) {
    const type = toEventType(event.containerEventType);
    if (type !== undefined) yield { containerId: event.containerId, type, createdAtMs: toMilliseconds(event.createdAt) };
  }
}

function shortId(id: string): string {
  return id.slice(0, 12);
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
