import { ApiError, badRequest, detailsOf } from "./api-error.js";
import type { AccessControl } from "./access/access-control.js";
import type { Identity } from "./access/identity.js";
import { attributesOf } from "./access/request-attributes.js";
import type { ApiState, DeletedObject, WriteGuard } from "./api-state.js";
import { type DeletionWish, parseDeletionWish } from "./deletion-rules.js";
import { discoveryOf } from "./discovery.js";
import { isObject, type JsonObject, listOf, type StoredObject } from "./json.js";
import { ListPager } from "./list-request.js";
import { parseRequestUrl, type RequestUrl } from "./request-url.js";
import { ServerLag } from "./server-lag.js";
import type { ServedKind } from "./served-kinds.js";
import { toTable, wantsTable } from "./table.js";
import { errorEvent, sendEvent, startWatch, type WatchSink } from "./watch-stream.js";

export interface ApiFrontOptions {
  readonly state: ApiState;
  readonly bookmarkPeriodMs: number;
  /** How far behind the database its watches are, and lists of resourceVersion 0, drawn for each change; absent: not at all. Other lists wait for nothing. */
  readonly lagMs?: (() => number) | undefined;
  /** The bearer token that is accepted; undefined: anybody is. */
  readonly token: () => string | undefined;
  /** Who may do what; undefined: everybody may do everything. With it `token` is not looked at. */
  readonly access?: AccessControl | undefined;
  /** What a pod's container has written; undefined: there is no such log. */
  readonly podLog?: ((pod: PodLogRequest) => string | undefined) | undefined;
}

/** Whose log is asked for; without a container, that of the pod's first one. */
export interface PodLogRequest {
  readonly namespace: string;
  readonly name: string;
  readonly container: string | undefined;
}

/** One request, whatever carried it here. */
export interface FrontRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** An answer that is whole, or one that goes on until the returned function is called. */
export type FrontReply =
  | { readonly type: "whole"; readonly code: number; readonly contentType: string; readonly text: string }
  | { readonly type: "watch"; start(sink: WatchSink): () => void };

const CREATED = 201;

/** What the API server answers, with no idea of how bytes travel. */
export class ApiFront {
  readonly pager: ListPager;
  readonly #options: ApiFrontOptions;
  readonly #lag: ServerLag | undefined;

  constructor(options: ApiFrontOptions) {
    this.#options = options;
    const { state, lagMs } = options;
    this.#lag = lagMs === undefined ? undefined : new ServerLag({ database: state.database, clock: state.clock, lagMs });
    this.pager = new ListPager(state, this.#lag);
  }

  /** Ends what it keeps of the database; for fronts that come and go over one state. */
  close(): void {
    this.#lag?.close();
  }

  /** Does what a request asks; never throws. */
  answer(request: FrontRequest): FrontReply {
    try {
      return this.#answer(request);
    } catch (error) {
      const refusal = error instanceof ApiError ? error : internalError(error);
      return whole(refusal.code, refusal.toStatus());
    }
  }

  #answer(request: FrontRequest): FrontReply {
    const identity = this.#authenticate(request);
    const { state, access } = this.#options;
    const { method, path } = request;
    const url = parseRequestUrl(path);
    const discovery = method === "GET" ? discoveryOf(path, state.kinds()) : undefined;
    if (discovery !== undefined) return whole(200, discovery);
    if (url === undefined) return textOf(path);
    if (identity !== undefined) access?.authorize(identity, attributesOf(method, url));
    const isServed = state.kinds().some(({ group, version }) => group === url.group && version === url.version);
    return isServed ? this.#answerResource(request, url, identity) : textOf(path);
  }

  #answerResource(request: FrontRequest, url: RequestUrl, identity: Identity | undefined): FrontReply {
    const { state, podLog } = this.#options;
    const { method } = request;
    if (url.subresource === "log" && podLog !== undefined) return logOf(url, podLog);
    if (method === "GET" && isWatch(url)) return this.#watch(url);
    const body = parseBody(request.body);
    const answer = state.guarded(this.#guardOf(url, identity, { method, body }), () => this.#call(request, url, body));
    return whole(method === "POST" ? CREATED : 200, this.#inForm(request, url, answer));
  }

  #inForm({ method, headers }: FrontRequest, { plural }: RequestUrl, answer: JsonObject): JsonObject {
    const accept = headers["accept"] ?? "";
    return method === "GET" && wantsTable(accept) ? toTable(plural, answer, this.#options.state.clock.nowMs()) : answer;
  }

  /** @returns undefined if nobody asks who somebody is */
  #authenticate({ headers }: FrontRequest): Identity | undefined {
    const { access, token } = this.#options;
    const [, bearer = ""] = /^Bearer (.*)$/.exec(headers["authorization"] ?? "") ?? [];
    const identity = access?.identify(bearer);
    const wanted = token();
    if (access === undefined ? wanted === undefined || bearer === wanted : identity !== undefined) return identity;
    throw new ApiError({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
  }

  #guardOf(url: RequestUrl, identity: Identity | undefined, { method, body }: { method: string; body: unknown }): WriteGuard {
    const { access } = this.#options;
    return {
      isDryRun: isDryRun(method, url, body),
      admit(object, oldObject) {
        const asked = attributesOf(method, url);
        const attributes = { ...asked, name: asked.name ?? givenName(object) };
        if (identity !== undefined) access?.admit({ identity, attributes, object, oldObject });
      },
    };
  }

  #call({ method, headers }: FrontRequest, url: RequestUrl, body: unknown): JsonObject {
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
        return state.patch(kind, address, { contentType: headers["content-type"] ?? "application/json", body, subresource });
      case "DELETE":
        return deletionReply(kind, state.delete(kind, address, wishOf(body, url)));
      default:
        throw methodNotAllowed();
    }
  }

  #watch(url: RequestUrl): FrontReply {
    const lag = this.#lag;
    const { state, bookmarkPeriodMs } = this.#options;
    const kind = state.kind(url);
    return {
      type: "watch",
      start(sink) {
        try {
          if (lag === undefined) return startWatch(state, { url, sink, bookmarkPeriodMs });
          const delayed = lag.delayed(sink, kind);
          const stop = startWatch(state, { url, sink: delayed.sink, bookmarkPeriodMs });
          return () => {
            stop();
            delayed.cancel();
          };
        } catch (error) {
          sendEvent(sink, errorEvent(error instanceof ApiError ? error : internalError(error)));
          sink.end();
          return () => undefined;
        }
      },
    };
  }
}

/** A DELETE that has a body is told nothing by its query. */
function isDryRun(method: string, { query }: RequestUrl, body: unknown): boolean {
  return method === "DELETE" && isObject(body) ? listOf(body["dryRun"]).includes("All") : query.get("dryRun") === "All";
}

function wishOf(body: unknown, { query }: RequestUrl): DeletionWish {
  if (isObject(body)) return parseDeletionWish(body);
  const seconds = query.get("gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  return {
    ...(seconds === null ? {} : { gracePeriodSeconds: Number(seconds) }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
  };
}

/** The name that a client gave a new object; none if it is a generated one. */
function givenName(object: StoredObject | undefined): string | undefined {
  const { name, generateName = "" } = object?.metadata ?? { name: undefined };
  return generateName !== "" && name?.startsWith(generateName) === true ? undefined : name;
}

function isWatch({ query }: RequestUrl): boolean {
  return ["true", "1"].includes(query.get("watch") ?? "");
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
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details: { ...detailsOf({ plural, group, name }), uid } };
}

function parseBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    throw badRequest("the body is not JSON");
  }
}

function whole(code: number, body: JsonObject): FrontReply {
  return { type: "whole", code, contentType: "application/json", text: JSON.stringify(body) };
}

/** What the real server's mux says about paths that are no resource's. */
function textOf(path: string): FrontReply {
  const isHealth = /^\/(healthz|livez|readyz)/.test(path);
  return { type: "whole", code: isHealth ? 200 : 404, contentType: "text/plain", text: isHealth ? "ok" : "404 page not found\n" };
}

function logOf({ namespace = "", name = "", query }: RequestUrl, podLog: NonNullable<ApiFrontOptions["podLog"]>): FrontReply {
  const text = podLog({ namespace, name, container: query.get("container") ?? undefined });
  if (text === undefined) throw badRequest(`container of pod "${name}" is waiting to start, or there is none of that name`);
  return { type: "whole", code: 200, contentType: "text/plain", text };
}

function methodNotAllowed(): ApiError {
  const message = "the server does not allow this method on the requested resource";
  return new ApiError({ code: 405, reason: "MethodNotAllowed", message, details: {} });
}

function internalError(error: unknown): ApiError {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new ApiError({ code: 500, reason: "InternalError", message });
}
