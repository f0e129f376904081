import type { KubeObject } from "../api/meta.js";
import type { WatchEvent } from "./client.js";
import { badReply, fromRefusal, type Operation, type Status } from "./failures.js";

const NEWLINE = 0x0a;

/** An event line is refused beyond this: etcd keeps no object of that size. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

interface RawEvent {
  readonly type?: string;
  readonly object?: unknown;
}

/**
 * The events in the bytes of a watch: one JSON document a line, split anywhere, also inside a character.
 *
 * @throws {OperationError} for an ERROR event (code KUBE_GONE for 410), and KUBE_BAD_REPLY for a line that is cut off or makes no sense
 */
export async function* decodeWatch<T extends KubeObject>(
  operation: Operation,
  chunks: AsyncIterable<Uint8Array>,
  maxEventBytes = MAX_EVENT_BYTES,
): AsyncGenerator<WatchEvent<T>> {
  for await (const line of splitLines(operation, chunks, maxEventBytes)) yield toEvent<T>(operation, line);
}

async function* splitLines(operation: Operation, chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(parts).toString("utf8");
      parts = [];
      sizeBytes = 0;
      if (line.trim() !== "") yield line;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    sizeBytes += chunk.length - start;
    if (sizeBytes > maxBytes) throw badReply(operation, `an event is over ${maxBytes} bytes`);
  }
  if (sizeBytes > 0) throw badReply(operation, "the last event is cut off");
}

function toEvent<T extends KubeObject>(operation: Operation, line: string): WatchEvent<T> {
  const { type, object } = parseEvent(operation, line);
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
    case "BOOKMARK":
      if (typeof (object as KubeObject | undefined)?.metadata !== "object") throw badReply(operation, `a ${type} event has no object`);
      return { type, object: object as T };
    case "ERROR":
      throw fromErrorEvent(operation, object as Status | undefined);
    default:
      throw badReply(operation, `an event has the unknown type ${JSON.stringify(type)}`);
  }
}

function parseEvent(operation: Operation, line: string): RawEvent {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch (error) {
    throw badReply(operation, "an event is not JSON", error);
  }
}

function fromErrorEvent(operation: Operation, status: Status | undefined): Error {
  const seconds = status?.details?.retryAfterSeconds;
  const retryAfterMs = seconds === undefined ? undefined : seconds * 1000;
  return fromRefusal(operation, { code: status?.code ?? 500, status, retryAfterMs });
}
