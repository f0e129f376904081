import { isJsonObject, type JsonObject } from "../values/json-object.js";

/** What a container wants done before it is stopped. `unsupported` names a handler that is skipped with an event. */
export type PreStopHandler =
  | { readonly type: "exec"; readonly command: readonly string[] }
  | { readonly type: "sleep"; readonly seconds: number }
  | { readonly type: "unsupported"; readonly handler: string };

/**
 * Reads the handler that the kubelet wrote on the container as JSON.
 *
 * @returns undefined where there is none; text that cannot be read is an unsupported handler, so that it is reported and not lost
 */
export function parsePreStop(text: string | undefined): PreStopHandler | undefined {
  if (text === undefined || text === "") return undefined;
  const handler = parseObject(text);
  if (handler === undefined) return { type: "unsupported", handler: "malformed" };
  return readExec(handler["exec"]) ?? readSleep(handler["sleep"]) ?? readOther(handler);
}

/** Seconds left to the container itself after preStop took its share of the grace. Source: the kubelet's arithmetic, floor included. */
export function remainingGraceSeconds(graceSeconds: number, preStopMs: number): number {
  return Math.max(MIN_GRACE_SECONDS, graceSeconds - Math.floor(preStopMs / 1000));
}

const MIN_GRACE_SECONDS = 2;

function readExec(value: unknown): PreStopHandler | undefined {
  if (!isJsonObject(value)) return undefined;
  const command = value["command"];
  return Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string")
    ? { type: "exec", command }
    : undefined;
}

function readSleep(value: unknown): PreStopHandler | undefined {
  const seconds = isJsonObject(value) ? value["seconds"] : undefined;
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0 ? { type: "sleep", seconds } : undefined;
}

function readOther(handler: JsonObject): PreStopHandler | undefined {
  const [name] = Object.keys(handler).filter((key) => handler[key] != null);
  return name === undefined ? undefined : { type: "unsupported", handler: ["httpGet", "tcpSocket"].includes(name) ? name : "malformed" };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON: the caller reports it as unsupported
  }
}
