import type { KubeObject, Resource } from "../api/meta.js";

/** Which object: `namespace` is absent for cluster-scoped kinds. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string;
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Applied to each item as its page arrives; see `InformerOptions.project`. */
  readonly project?: (item: KubeObject) => KubeObject;
}

export interface ListResult<T extends KubeObject> {
  readonly items: readonly T[];
  /** Where a watch may go on from. Opaque, but comparable by `compareResourceVersions`. */
  readonly resourceVersion: string;
}

export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  /** After how long the server ends the watch by itself. Default 600. */
  readonly timeoutSeconds?: number;
  /** Called when the server has accepted the watch; the first event may come much later. */
  readonly onOpen?: () => void;
}

/** BOOKMARK moves the resourceVersion only; an ERROR event ends the watch by throwing instead. */
export interface WatchEvent<T extends KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

export type Subresource = "status" | "scale" | "resize";

/** A patch that names only its own fields. Put `metadata.resourceVersion` in the body when the decision hangs on it. */
export interface PatchRequest {
  readonly target: ObjectName;
  readonly type: "merge" | "strategic" | "json";
  readonly body: unknown;
  readonly subresource?: Subresource;
}

export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
}

/**
 * The API server as a port. Objects come and go as raw JSON, so unknown fields survive.
 *
 * Every call honours Retry-After on 429 and 5xx with a bounded number of tries, re-reads the token after a 401, and has a deadline.
 * @throws {OperationError} kind by HTTP status: 404 missing, 409 conflict, 400/422 invalid, 401/403 denied, 410 and 429 and 5xx and
 * broken connections transient (code KUBE_GONE for 410), 404 of a whole kind or 405/415 unsupported. `reason` is the Status reason.
 */
export interface KubeClient {
  get<T extends KubeObject>(resource: Resource, target: ObjectName, signal: AbortSignal): Promise<T>;
  /** All pages. */
  list<T extends KubeObject>(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListResult<T>>;
  /** One watch connection; ends normally when the server ends it. */
  watch<T extends KubeObject>(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>;
  create<T extends KubeObject>(resource: Resource, object: T, signal: AbortSignal): Promise<T>;
  /** PUT of a whole object (or its subresource); only for kinds that we own alone. */
  replace<T extends KubeObject>(resource: Resource, request: ReplaceRequest<T>, signal: AbortSignal): Promise<T>;
  patch<T extends KubeObject>(resource: Resource, request: PatchRequest, signal: AbortSignal): Promise<T>;
  /** @returns the deleted or terminating object, or undefined where the server answers with a Status only */
  delete<T extends KubeObject>(resource: Resource, request: DeleteRequest, signal: AbortSignal): Promise<T | undefined>;
}

export interface ReplaceRequest<T extends KubeObject> {
  readonly object: T;
  readonly subresource?: Subresource;
}

export interface DeleteRequest {
  readonly target: ObjectName;
  readonly options?: DeleteOptions;
}
