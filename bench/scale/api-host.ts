import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../src/lib/clock.js";
import { ApiFront, type FrontReply, type FrontRequest } from "../../src/sim/api-server/api-front.js";
import type { ApiState } from "../../src/sim/api-server/api-state.js";
import { selfSigned } from "../../src/sim/certificate.js";
import type { ApiAccess } from "./product-process.js";
import type { WriteLog } from "./write-log.js";

const TOKEN = "the-token-of-the-bench";
const BOOKMARK_PERIOD_MS = 60_000;
/** One connection of the models carries the writes of thousands of pods. */
const SESSION_MEMORY_MB = 200;
const NO_BODY = new Uint8Array();

/** Serves a model of the API server to thousands of connections: HTTP/2 and TLS without anything in between. */
export async function serveApi(state: ApiState, writes: WriteLog): Promise<ApiAccess> {
  const tls = selfSigned("podmend-bench", systemClock.nowMs());
  const front = new ApiFront({ state, bookmarkPeriodMs: BOOKMARK_PERIOD_MS, token: () => TOKEN });
  const server = http2.createSecureServer({ cert: tls.cert, key: tls.key, maxSessionMemory: SESSION_MEMORY_MB });
  server.on("session", (session) => session.on("error", () => undefined)); // clients are killed
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    const method = headers[":method"] ?? "GET";
    const path = headers[":path"] ?? "/";
    const request = (body: Uint8Array): FrontRequest => ({ method, path, headers: headers as FrontRequest["headers"], body });
    if (method === "GET") {
      stream.resume();
      reply(stream, front.answer(request(NO_BODY)));
      return;
    }
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
    stream.once("end", () => {
      const answer = front.answer(request(Buffer.concat(chunks)));
      const code = answer.type === "whole" ? answer.code : 200;
      writes.add({ method, path, code, userAgent: headers["user-agent"] ?? "" });
      reply(stream, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, resolve));
  return { port: (server.address() as AddressInfo).port, ca: tls.cert, token: TOKEN };
}

function reply(stream: http2.ServerHttp2Stream, answer: FrontReply): void {
  if (stream.destroyed) return;
  if (answer.type === "whole") {
    stream.respond({ ":status": answer.code, "content-type": answer.contentType });
    stream.end(answer.text);
    return;
  }
  stream.respond({ ":status": 200, "content-type": "application/json" });
  const stop = answer.start({ event: (_event, text) => void stream.write(`${text}\n`), end: () => void stream.end() });
  stream.once("close", stop);
}
