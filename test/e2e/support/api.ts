import { readFileSync } from "node:fs";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { parse } from "yaml";

/** The API server as the tests see it: a client that shares no code with the product, so that it cannot share its mistakes. */
export interface Api {
  get<T>(path: string): Promise<T>;
  create<T>(path: string, object: unknown): Promise<T>;
  mergePatch<T>(path: string, patch: unknown): Promise<T>;
  remove(path: string): Promise<void>;
  /** Calls `onEvent` for each change after `resourceVersion`, until the returned function is called; goes on where a watch ends. */
  watch<T>(path: string, resourceVersion: string, onEvent: (event: WatchEvent<T>) => void): () => void;
  /** Any call; resolves with the status code instead of failing. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
}

export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

/** What else a watch carries. */
type WatchLine<T> =
  | WatchEvent<T>
  | { readonly type: "BOOKMARK"; readonly object: unknown }
  | { readonly type: "ERROR"; readonly object: { readonly message: string } };

export interface CallOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  /** Instead of the administrator's certificate. */
  readonly bearerToken?: string;
}

export interface Reply {
  readonly status: number;
  /** JSON where the server sent JSON, else text. */
  readonly body: unknown;
}

interface KubeconfigFile {
  readonly clusters: readonly { readonly cluster: { readonly server: string; readonly "certificate-authority": string } }[];
  readonly users: readonly { readonly user: { readonly "client-certificate": string; readonly "client-key": string } }[];
}

/** The administrator of the cluster that KUBECONFIG names. */
export function openApi(): Api {
  const path = process.env["KUBECONFIG"];
  if (path === undefined) throw new Error("KUBECONFIG is not set: run through npm run -s cluster:exec");
  const file = parse(readFileSync(path, "utf8")) as KubeconfigFile;
  const [cluster, user] = [file.clusters[0]?.cluster, file.users[0]?.user];
  if (cluster === undefined || user === undefined) throw new Error(`${path} names no cluster or no user`);
  const ca = readFileSync(cluster["certificate-authority"]);
  const admin = new Agent({ keepAlive: true, ca, cert: readFileSync(user["client-certificate"]), key: readFileSync(user["client-key"]) });
  const anonymous = new Agent({ keepAlive: false, ca });

  const call = (method: string, target: string, options: CallOptions = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const { body, contentType = "application/json", bearerToken } = options;
      const headers: Record<string, string> = { accept: "application/json", "content-type": contentType };
      if (bearerToken !== undefined) headers["authorization"] = `Bearer ${bearerToken}`;
      const outgoing = request(new URL(target, cluster.server), { method, headers, agent: bearerToken === undefined ? admin : anonymous });
      outgoing.once("error", reject);
      outgoing.once("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => resolve({ status: response.statusCode ?? 0, body: readBody(Buffer.concat(chunks).toString()) }));
      });
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const watch = <T>(path: string, resourceVersion: string, onEvent: (event: WatchEvent<T>) => void): (() => void) => {
    const { server } = cluster;
    let from = resourceVersion;
    let isStopped = false;
    let outgoing = open();
    return () => {
      isStopped = true;
      outgoing.destroy();
    };

    function open(): ClientRequest {
      const target = new URL(`${path}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`, server);
      const opened = request(target, { agent: admin, headers: { accept: "application/json" } });
      opened.once("error", (error) => {
        if (!isStopped) throw error;
      });
      opened.once("response", follow);
      opened.end();
      return opened;
    }

    function follow(response: IncomingMessage): void {
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) take(JSON.parse(line) as WatchLine<T>);
      });
      // A server under load ends watches, and so does time.
      response.once("end", () => {
        if (!isStopped) outgoing = open();
      });
    }

    function take(event: WatchLine<T>): void {
      if (event.type === "ERROR") throw new Error(`Cannot watch "${path}": ${event.object.message}`);
      from = (event.object as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion;
      if (event.type !== "BOOKMARK") onEvent(event);
    }
  };
  return {
    call,
    watch,
    get: async (target) => expectSuccess(await call("GET", target), "GET", target),
    create: async (target, object) => expectSuccess(await call("POST", target, { body: object }), "POST", target),
    mergePatch: async (target, patch) =>
      expectSuccess(await call("PATCH", target, { body: patch, contentType: "application/merge-patch+json" }), "PATCH", target),
    remove: async (target) => {
      const reply = await call("DELETE", target);
      if (reply.status !== 404) expectSuccess(reply, "DELETE", target);
    },
  };
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function expectSuccess<T>(reply: Reply, method: string, path: string): T {
  if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.status} ${messageOf(reply)}`);
  return reply.body as T;
}

/** What a Status, or whatever else came, says. */
export function messageOf({ body }: Reply): string {
  return typeof body === "object" && body !== null && "message" in body ? String(body.message) : String(body);
}
