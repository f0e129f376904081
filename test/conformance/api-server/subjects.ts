import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { ApiFront } from "../../../src/sim/api-server/api-front.js";
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
  const state = new ApiState({ kinds: shippedKinds(await loadCel()) });
  const front = new ApiFront({ state, bookmarkPeriodMs: 60_000, token: () => undefined });
  const answer = ({ method, path, body, contentType = "application/json" }: ApiRequest): ReturnType<ApiFront["answer"]> => {
    const bytes = body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body));
    return front.answer({ method, path, headers: { "content-type": contentType, accept: "application/json" }, body: bytes });
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
  const headersOf = (contentType: string): Record<string, string> => ({
    authorization: `Bearer ${server.token}`,
    accept: "application/json",
    "content-type": contentType,
  });
  const subject: ApiServerSubject = {
    name: "a real API server",
    call: ({ method, path, body, contentType = "application/json" }) =>
      new Promise((resolve, reject) => {
        const outgoing = request(`${server.url}${path}`, { method, agent, headers: headersOf(contentType) });
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

const CRDS = ["apps.kruise.io_clonesets", "apps.kruise.io_imagepulljobs", "apps.kruise.io_nodeimages", "node.podmend.io_nodepodrestarts"];
const KINDS = [
  "/apis/apps.kruise.io/v1alpha1/clonesets",
  "/apis/apps.kruise.io/v1beta1/imagepulljobs",
  "/apis/apps.kruise.io/v1beta1/nodeimages",
  "/apis/node.podmend.io/v1alpha1/nodepodrestarts",
];

async function defineKinds(subject: ApiServerSubject): Promise<void> {
  for (const name of CRDS) {
    for (const body of manifestObjects(`deploy/crds/${name}.yaml`)) {
      const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const { status } = await subject.call({ method: "POST", path, body });
      if (status !== 201) throw new Error(`Cannot define "${name}": ${String(status)}`);
    }
  }
  await eventually(
    async () => {
      for (const path of KINDS) {
        const { status } = await subject.call({ method: "GET", path });
        if (status !== 200) throw new Error(`${path} is not served yet: ${String(status)}`);
      }
    },
    20_000,
    100,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
