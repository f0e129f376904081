import type { KubeObject, Resource } from "../api/meta.js";
import type {
  DeleteOptions,
  DeleteRequest,
  KubeClient,
  ListOptions,
  ListResult,
  ObjectName,
  PatchRequest,
  ReplaceRequest,
  WatchEvent,
  WatchOptions,
} from "./client.js";
import { keyOf, keyOfName } from "./keys.js";
import { type ListBody, listPages } from "./list-pages.js";
import { apiVersionOf, requestPath } from "./request-path.js";
import { type ApiRequest, Transport, type TransportOptions } from "./transport.js";
import { decodeWatch } from "./watch-decoder.js";

export interface KubeClientOptions extends Omit<TransportOptions, "userAgent"> {
  /** `agent` or `controller`: part of the user agent and of the field manager. */
  readonly component: string;
  readonly version: string;
}

const PATCH_TYPES: Readonly<Record<PatchRequest["type"], string>> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
};

/** A watch that did not say how long it may last is cut after this. */
const DEFAULT_WATCH_SECONDS = 600;
/** How long after its time a server may take to end a watch before we do. */
const WATCH_GRACE_MS = 30_000;

/** The API server behind a wire. Does no I/O until asked; close the wire when done. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { component, version } = options;
  return new HttpKubeClient(new Transport({ ...options, userAgent: `podmend/${version} (${component})` }), `podmend-${component}`);
}

class HttpKubeClient implements KubeClient {
  readonly #transport: Transport;
  readonly #fieldManager: string;

  constructor(transport: Transport, fieldManager: string) {
    this.#transport = transport;
    this.#fieldManager = fieldManager;
  }

  async get<T extends KubeObject>(resource: Resource, target: ObjectName, signal: AbortSignal): Promise<T> {
    return this.#call<T>({ method: "GET", ...operation("get", resource, target), path: requestPath(resource, target) }, signal);
  }

  async list<T extends KubeObject>(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListResult<T>> {
    const { namespace, labelSelector, fieldSelector, project } = options;
    return listPages<T>({
      resource,
      project: project as ((item: T) => T) | undefined,
      fetchPage: (page) => {
        const path = requestPath(resource, { namespace }, { labelSelector, fieldSelector, limit: page.limit, continue: page.continue });
        return this.#call<ListBody<T>>({ method: "GET", verb: "list", subject: resource.plural, path }, signal);
      },
    });
  }

  watch<T extends KubeObject>(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>> {
    const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds = DEFAULT_WATCH_SECONDS } = options;
    const query = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds, labelSelector, fieldSelector };
    const request: ApiRequest = {
      method: "GET",
      verb: "watch",
      subject: resource.plural,
      path: requestPath(resource, { namespace }, query),
    };
    return decodeWatch<T>(
      request,
      this.#transport.stream(request, { maxMs: timeoutSeconds * 1000 + WATCH_GRACE_MS, onOpen: options.onOpen }, signal),
    );
  }

  async create<T extends KubeObject>(resource: Resource, object: T, signal: AbortSignal): Promise<T> {
    const { namespace, name, generateName = "" } = object.metadata;
    const target = {
      name: name === undefined || name === "" ? `${generateName}*` : name,
      ...(namespace === undefined ? {} : { namespace }),
    };
    const path = requestPath(resource, { namespace }, { fieldManager: this.#fieldManager });
    return this.#call<T>({ method: "POST", ...operation("create", resource, target), path, body: typed(resource, object) }, signal);
  }

  async replace<T extends KubeObject>(resource: Resource, request: ReplaceRequest<T>, signal: AbortSignal): Promise<T> {
    const { object, subresource } = request;
    const path = requestPath(resource, { ...object.metadata, subresource }, { fieldManager: this.#fieldManager });
    const subject = subjectOf(resource, keyOf(object));
    return this.#call<T>({ method: "PUT", verb: verbOf("replace", subresource), subject, path, body: typed(resource, object) }, signal);
  }

  async patch<T extends KubeObject>(resource: Resource, request: PatchRequest, signal: AbortSignal): Promise<T> {
    const { target, type, body, subresource } = request;
    const path = requestPath(resource, { ...target, subresource }, { fieldManager: this.#fieldManager });
    const what = operation(verbOf("patch", subresource), resource, target);
    return this.#call<T>({ method: "PATCH", ...what, path, body, contentType: PATCH_TYPES[type] }, signal);
  }

  async delete<T extends KubeObject>(resource: Resource, request: DeleteRequest, signal: AbortSignal): Promise<T | undefined> {
    const { target, options = {} } = request;
    const path = requestPath(resource, target);
    const reply = await this.#call<T>(
      { method: "DELETE", ...operation("delete", resource, target), path, body: deleteBody(options) },
      signal,
    );
    return reply.kind === "Status" ? undefined : reply;
  }

  async #call<T>(request: ApiRequest, signal: AbortSignal): Promise<T> {
    return (await this.#transport.call(request, signal)) as T;
  }
}

/** Custom resources are refused without apiVersion and kind. */
function typed(resource: Resource, object: KubeObject): KubeObject {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
}

function operation(verb: string, resource: Resource, target: ObjectName): { readonly verb: string; readonly subject: string } {
  return { verb, subject: subjectOf(resource, keyOfName(target)) };
}

function subjectOf(resource: Resource, key: string): string {
  return `${resource.kind} "${key}"`;
}

function verbOf(verb: string, subresource: string | undefined): string {
  return subresource === undefined ? verb : `${verb} the ${subresource} of`;
}

function deleteBody({ uid, resourceVersion, gracePeriodSeconds, propagationPolicy }: DeleteOptions): unknown {
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
}
