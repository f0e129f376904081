import { readFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { AccessControl } from "../../../src/sim/api-server/access/access-control.js";
import { ADMINISTRATOR, type Identity } from "../../../src/sim/api-server/access/identity.js";
import { ApiFront, type FrontReply } from "../../../src/sim/api-server/api-front.js";
import { ApiState } from "../../../src/sim/api-server/api-state.js";
import { shippedKinds } from "../../../src/sim/api-server/shipped-kinds.js";
import { loadCel } from "../../../src/sim/cel/cel-engine.js";
import { startRealApiServer } from "../../support/real-api-server.js";
import { eventually } from "../../support/eventually.js";

/** One request; the path is that of the API, with its query. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Default: an administrator. */
  readonly as?: Identity;
}

export interface ApiReply {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiEvent {
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** A watch that goes on until it is stopped; `events` are those so far. */
export interface Watching {
  readonly events: readonly ApiEvent[];
  stop(): void;
}

/** An API server that knows our kinds, for an administrator. */
export interface ApiServerSubject {
  readonly name: string;
  call(asked: ApiRequest): Promise<ApiReply>;
  watch(path: string): Promise<Watching>;
  close(): Promise<void>;
}

const REPOSITORY = join(import.meta.dirname, "../../..");

/** The objects of a manifest of ours, by its path in the repository. */
export function manifestObjects(path: string): readonly Readonly<Record<string, unknown>>[] {
  return parseAllDocuments(readFileSync(join(REPOSITORY, path), "utf8")).map((document) => document.toJS() as Record<string, unknown>);
}

/** Our model, called directly: what lies between it and a client is tested elsewhere. */
export async function openModel(): Promise<ApiServerSubject> {
  const cel = await loadCel();
  const state = new ApiState({ kinds: shippedKinds(cel) });
  const identities = new Map<string, Identity>();
  const access = new AccessControl({ identities, cel });
  const front = new ApiFront({ state, bookmarkPeriodMs: 60_000, token: () => undefined, access });
  const answer = ({ method, path, body, contentType = "application/json", as = ADMINISTRATOR }: ApiRequest): FrontReply => {
    const bytes = body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body));
    const token = JSON.stringify(as);
    identities.set(token, as);
    const headers = { "content-type": contentType, accept: "application/json", authorization: `Bearer ${token}` };
    return front.answer({ method, path, headers, body: bytes });
  };
  return {
    name: "the model",
    call(asked) {
      const reply = answer(asked);
      if (reply.type === "watch") throw new Error(`${asked.path} is a watch`);
      return Promise.resolve({ status: reply.code, body: parse(reply.text) });
    },
    watch(path) {
      const reply = answer({ method: "GET", path });
      if (reply.type !== "watch") throw new Error(`${path} is no watch: ${reply.text}`);
      const events: ApiEvent[] = [];
      const stop = reply.start({ event: (event) => void events.push(structuredClone(event) as unknown as ApiEvent), end: () => undefined });
      return Promise.resolve({ events, stop });
    },
    close() {
      state.close();
      return Promise.resolve();
    },
  };
}

/** A real one of our own, with our definitions. */
export async function openReal(): Promise<ApiServerSubject> {
  const server = await startRealApiServer();
  const agent = new Agent({ ca: server.ca, keepAlive: true, maxSockets: 4 });
  const watchAgent = new Agent({ ca: server.ca });
  const headersOf = (contentType: string, as?: Identity): OutgoingHttpHeaders => ({
    authorization: `Bearer ${server.token}`,
    accept: "application/json",
    "content-type": contentType,
    ...(as === undefined ? {} : impersonation(as)),
  });
  const subject: ApiServerSubject = {
    name: "a real API server",
    call: ({ method, path, body, contentType = "application/json", as }) =>
      new Promise((resolve, reject) => {
        const outgoing = request(`${server.url}${path}`, { method, agent, headers: headersOf(contentType, as) });
        outgoing.once("error", reject);
        outgoing.once("response", (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.once("error", reject);
          response.once("end", () => resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString()) }));
        });
        const text = body === undefined ? "" : JSON.stringify(body);
        outgoing.setHeader("content-length", Buffer.byteLength(text));
        outgoing.end(text);
      }),
    watch: (path) =>
      new Promise((resolve, reject) => {
        const events: ApiEvent[] = [];
        const outgoing = request(`${server.url}${path}`, { agent: watchAgent, headers: headersOf("application/json") });
        let isStopped = false;
        const stop = (): void => {
          isStopped = true;
          outgoing.destroy();
        };
        outgoing.on("error", (error) => (isStopped ? undefined : reject(error)));
        outgoing.once("response", (response) => {
          let rest = "";
          response.setEncoding("utf8");
          response.on("error", () => undefined); // we stopped it
          response.on("data", (chunk: string) => {
            const lines = (rest + chunk).split("\n");
            rest = lines.pop() ?? "";
            events.push(...lines.map((line) => JSON.parse(line) as ApiEvent));
          });
          resolve({ events, stop });
        });
        outgoing.end();
      }),
    async close() {
      agent.destroy();
      watchAgent.destroy();
      await server.close();
    },
  };
  try {
    await defineKinds(subject);
  } catch (error) {
    await subject.close();
    throw error;
  }
  return subject;
}

/** The administrator acts for somebody. */
function impersonation({ username, groups, extra }: Identity): OutgoingHttpHeaders {
  const more = Object.entries(extra).map(([key, values]) => [`impersonate-extra-${encodeURIComponent(key)}`, [...values]] as const);
  return { "impersonate-user": username, "impersonate-group": [...groups], ...Object.fromEntries(more) };
}

const CRDS = ["apps.kruise.io_clonesets", "apps.kruise.io_imagepulljobs", "apps.kruise.io_nodeimages", "node.podmend.io_nodepodrestarts"];
const KINDS = [
  "/apis/apps.kruise.io/v1alpha1/clonesets",
  "/apis/apps.kruise.io/v1beta1/imagepulljobs",
  "/apis/apps.kruise.io/v1beta1/nodeimages",
  "/apis/node.podmend.io/v1alpha1/nodepodrestarts",
];

/** What an installation creates but for what would run. */
async function defineKinds(subject: ApiServerSubject): Promise<void> {
  for (const file of [...CRDS.map((name) => `deploy/crds/${name}.yaml`), "daemonset.yaml", "deploy/controller.yaml"]) {
    for (const body of manifestObjects(file)) {
      const path = collectionOf(body);
      if (path === undefined) continue;
      const reply = await subject.call({ method: "POST", path, body });
      if (reply.status !== 201) throw new Error(`Cannot create what "${file}" says: ${JSON.stringify(reply.body)}`);
    }
  }
  const isServed = async (): Promise<void> => {
    for (const path of KINDS) {
      const { status } = await subject.call({ method: "GET", path });
      if (status !== 200) throw new Error(`${path} is not served yet: ${String(status)}`);
    }
  };
  await eventually(isServed, 20_000, 100);
}

const COLLECTIONS: Readonly<Record<string, string>> = {
  CustomResourceDefinition: "apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  Namespace: "api/v1/namespaces",
  ServiceAccount: "api/v1/*/serviceaccounts",
  ClusterRole: "apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Role: "apis/rbac.authorization.k8s.io/v1/*/roles",
  RoleBinding: "apis/rbac.authorization.k8s.io/v1/*/rolebindings",
  ValidatingAdmissionPolicy: "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
};

function collectionOf({ kind, metadata }: Readonly<Record<string, unknown>>): string | undefined {
  const { namespace } = metadata as { readonly namespace?: string };
  const path = COLLECTIONS[String(kind)];
  return path === undefined ? undefined : `/${path.replace("*", `namespaces/${String(namespace)}`)}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
