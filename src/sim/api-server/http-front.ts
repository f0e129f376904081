import type http2 from "node:http2";
import { ApiFront, type ApiFrontOptions, type FrontReply, type FrontRequest } from "./api-front.js";
import { type FaultAction, faultStatus, type Faults } from "./faults.js";

/** One request that came in, for tests that count what a client asks. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly userAgent: string;
}

export interface HttpFrontOptions extends ApiFrontOptions {
  readonly faults: Faults;
  /** Resets the connection of a stream. */
  readonly cut: (stream: http2.ServerHttp2Stream) => void;
}

const MAX_SEEN = 10_000;

/** Carries HTTP/2 streams to the front, and its answers back. */
export class HttpFront {
  readonly seen: SeenRequest[] = [];
  readonly front: ApiFront;
  readonly #options: HttpFrontOptions;

  constructor(options: HttpFrontOptions) {
    this.#options = options;
    this.front = new ApiFront(options);
  }

  /** Serves one stream; never throws. */
  async serve(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): Promise<void> {
    const request = toRequest(headers);
    const { method, path } = request;
    if (this.seen.length < MAX_SEEN) this.seen.push({ method, path, userAgent: request.headers["user-agent"] ?? "" });
    stream.on("error", () => undefined); // the client went away
    const fault = this.#options.faults.take(method, path);
    if (fault?.type === "hang") return;
    if (fault?.type === "status") replyFault(stream, fault);
    else if (fault?.type === "reset") this.#options.cut(stream);
    else await this.#serveWell(stream, request, fault !== undefined);
  }

  async #serveWell(stream: http2.ServerHttp2Stream, request: Omit<FrontRequest, "body">, mustCut: boolean): Promise<void> {
    const body = await readBody(stream);
    if (body === undefined) return;
    const answer = this.front.answer({ ...request, body });
    if (mustCut) this.#options.cut(stream);
    else reply(stream, answer);
  }
}

function toRequest(headers: http2.IncomingHttpHeaders): Omit<FrontRequest, "body"> {
  return { method: headers[":method"] ?? "GET", path: headers[":path"] ?? "/", headers: headers as FrontRequest["headers"] };
}

/** @returns undefined if the client went away meanwhile */
async function readBody(stream: http2.ServerHttp2Stream): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function replyFault(stream: http2.ServerHttp2Stream, fault: FaultAction & { type: "status" }): void {
  const { code, retryAfterSeconds } = fault;
  const headers: Record<string, string> = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  stream.respond({ ":status": code, "content-type": "application/json", ...headers });
  stream.end(JSON.stringify(faultStatus(fault)));
}

function reply(stream: http2.ServerHttp2Stream, answer: FrontReply): void {
  if (stream.destroyed || stream.headersSent) return;
  if (answer.type === "whole") {
    stream.respond({ ":status": answer.code, "content-type": answer.contentType });
    stream.end(answer.text);
    return;
  }
  stream.respond({ ":status": 200, "content-type": "application/json" });
  const stop = answer.start({
    event: (_event, text) => void stream.write(`${text}\n`),
    end: () => void stream.end(),
  });
  stream.once("close", stop);
  if (stream.closed) stop();
}
