import type http2 from "node:http2";
import { ApiError, badRequest } from "./api-error.js";
import type { ApiState, DeletedObject } from "./api-state.js";
import { parseDeletionWish } from "./deletion-rules.js";
import { discoveryOf } from "./discovery.js";
import { type FaultAction, faultStatus, type Faults } from "./faults.js";
import { isObject, type JsonObject } from "./json.js";
import { ListPager } from "./list-request.js";
import { parseRequestUrl, type RequestUrl } from "./request-url.js";
import type { ServedKind } from "./served-kinds.js";
import { toTable, wantsTable } from "./table.js";
import { errorEvent, startWatch } from "./watch-stream.js";

/** One request that came in, for tests that count what a client asks. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly userAgent: string;
}

export interface HttpFrontOptions {
  readonly state: ApiState;
  readonly faults: Faults;
  readonly bookmarkPeriodMs: number;
  /** The bearer token that is accepted; undefined: anybody is. */
  readonly token: () => string | undefined;
  /** Resets the connection of a stream. */
  readonly cut: (stream: http2.ServerHttp2Stream) => void;
  /** What a pod's container has written; undefined: there is no such log. */
  readonly podLog?: ((pod: PodLogRequest) => string | undefined) | undefined;
}

/** Whose log is asked for; without a container, that of the pod's first one. */
export interface PodLogRequest {
  readonly namespace: string;
  readonly name: string;
  readonly container: string | undefined;
}

interface Request extends SeenRequest {
  readonly contentType: string;
  readonly authorization: string;
  readonly accept: string;
}

const MAX_SEEN = 10_000;
const CREATED = 201;

/** Turns HTTP/2 streams into calls of the state machine. */
export class HttpFront {
  readonly seen: SeenRequest[] = [];
  readonly pager: ListPager;
  readonly #options: HttpFrontOptions;

  constructor(options: HttpFrontOptions) {
    this.#options = options;
    this.pager = new ListPager(options.state);
  }

  /** Serves one stream; never throws. */
  async serve(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): Promise<void> {
    const request = toRequest(headers);
    this.#note(request);
    stream.on("error", () => undefined); // the client went away
    const fault = this.#options.faults.take(request.method, request.path);
    switch (fault?.type) {
      case "reset":
        this.#options.cut(stream);
        return;
      case "hang":
        return;
      case "status":
        replyFault(stream, fault);
        return;
      case "cutAfterReply":
      case undefined:
        await this.#serveWell(stream, request, fault !== undefined);
    }
  }

  async #serveWell(stream: http2.ServerHttp2Stream, request: Request, mustCut: boolean): Promise<void> {
    try {
      await this.#answer(stream, request, mustCut);
    } catch (error) {
      const refusal = error instanceof ApiError ? error : internalError(error);
      reply(stream, { code: refusal.code, body: refusal.toStatus() });
    }
  }

  #note(request: Request): void {
    const { method, path, userAgent } = request;
    if (this.seen.length < MAX_SEEN) this.seen.push({ method, path, userAgent });
  }

  async #answer(stream: http2.ServerHttp2Stream, request: Request, mustCut: boolean): Promise<void> {
    this.#authenticate(request);
    const url = parseRequestUrl(request.path);
    const discovery = request.method === "GET" ? discoveryOf(request.path, this.#options.state.kinds()) : undefined;
    if (discovery !== undefined) {
      reply(stream, { code: 200, body: discovery });
      return;
    }
    if (url === undefined) {
      replyText(stream, request.path);
      return;
    }
    if (url.subresource === "log" && this.#options.podLog !== undefined) {
      this.#log(stream, url, this.#options.podLog);
      return;
    }
    if (request.method === "GET" && url.query.get("watch") === "true") {
      this.#watch(stream, url);
      return;
    }
    const body = await readBody(stream);
    const answer = this.#call(request, url, body);
    if (mustCut) this.#options.cut(stream);
    else reply(stream, { code: request.method === "POST" ? CREATED : 200, body: this.#inForm(request, url, answer) });
  }

  #inForm({ method, accept }: Request, { plural }: RequestUrl, answer: JsonObject): JsonObject {
    return method === "GET" && wantsTable(accept) ? toTable(plural, answer, this.#options.state.clock.nowMs()) : answer;
  }

  #log(stream: http2.ServerHttp2Stream, url: RequestUrl, podLog: NonNullable<HttpFrontOptions["podLog"]>): void {
    const { namespace = "", name = "", query } = url;
    const text = podLog({ namespace, name, container: query.get("container") ?? undefined });
    if (text === undefined) throw badRequest(`container of pod "${name}" is waiting to start, or there is none of that name`);
    stream.respond({ ":status": 200, "content-type": "text/plain" });
    stream.end(text);
  }

  #authenticate({ authorization }: Request): void {
    const token = this.#options.token();
    if (token === undefined || authorization === `Bearer ${token}`) return;
    throw new ApiError({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
  }

  #call({ method, contentType }: Request, url: RequestUrl, body: unknown): JsonObject {
    const { state } = this.#options;
    const kind = state.kind(url);
    const { namespace, name, subresource } = url;
    if (name === undefined) {
      if (method === "GET") return this.pager.page(url);
      if (method === "POST") return state.create(kind, checkedKind(kind, body), namespace);
      throw methodNotAllowed();
    }
    const address = { namespace, name };
    switch (method) {
      case "GET":
        return state.get(kind, address);
      case "PUT":
        if (!isObject(body)) throw badRequest("the body is no object");
        return state.replace(kind, address, { body, subresource });
      case "PATCH":
        return state.patch(kind, address, { contentType, body, subresource });
      case "DELETE":
        return deletionReply(kind, state.delete(kind, address, parseDeletionWish(body)));
      default:
        throw methodNotAllowed();
    }
  }

  #watch(stream: http2.ServerHttp2Stream, url: RequestUrl): void {
    const { state, bookmarkPeriodMs } = this.#options;
    state.kind(url);
    stream.respond({ ":status": 200, "content-type": "application/json" });
    const sink = {
      event: (event: JsonObject) => void stream.write(`${JSON.stringify(event)}\n`),
      end: () => void stream.end(),
    };
    try {
      const stop = startWatch(state, { url, sink, bookmarkPeriodMs });
      stream.once("close", stop);
      if (stream.closed) stop();
    } catch (error) {
      sink.event(errorEvent(error instanceof ApiError ? error : internalError(error)));
      sink.end();
    }
  }
}

/** The real server finds out by these what a custom resource is. */
function checkedKind({ isBuiltIn, kind }: ServedKind, body: unknown): unknown {
  if (isBuiltIn || (isObject(body) && body["kind"] !== undefined && body["apiVersion"] !== undefined)) return body;
  throw badRequest(`the object provided is unrecognized (must be of type ${kind}): Object 'Kind' is missing`);
}

/** Of objects that are gone the real server sends only pods back. */
function deletionReply({ plural, group }: ServedKind, { object, isGone }: DeletedObject): JsonObject {
  if (!isGone || plural === "pods") return object;
  const { name, uid } = object.metadata;
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details: { name, group, kind: plural, uid } };
}

function toRequest(headers: http2.IncomingHttpHeaders): Request {
  return {
    method: headers[":method"] ?? "GET",
    path: headers[":path"] ?? "/",
    userAgent: headers["user-agent"] ?? "",
    contentType: headers["content-type"] ?? "application/json",
    authorization: headers.authorization ?? "",
    accept: headers.accept ?? "",
  };
}

async function readBody(stream: http2.ServerHttp2Stream): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  if (chunks.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw badRequest("the body is not JSON");
  }
}

function replyFault(stream: http2.ServerHttp2Stream, fault: FaultAction & { type: "status" }): void {
  const { code, retryAfterSeconds } = fault;
  const headers: Record<string, string> = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  reply(stream, { code, body: faultStatus(fault), headers });
}

interface Reply {
  readonly code: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

function reply(stream: http2.ServerHttp2Stream, { code, body, headers = {} }: Reply): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond({ ":status": code, "content-type": "application/json", ...headers });
  stream.end(JSON.stringify(body));
}

/** What the real server's mux says about paths that are no resource's. */
function replyText(stream: http2.ServerHttp2Stream, path: string): void {
  const isHealth = /^\/(healthz|livez|readyz)/.test(path);
  stream.respond({ ":status": isHealth ? 200 : 404, "content-type": "text/plain" });
  stream.end(isHealth ? "ok" : "404 page not found\n");
}

function methodNotAllowed(): ApiError {
  const message = "the server does not allow this method on the requested resource";
  return new ApiError({ code: 405, reason: "MethodNotAllowed", message });
}

function internalError(error: unknown): ApiError {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new ApiError({ code: 500, reason: "InternalError", message });
}
