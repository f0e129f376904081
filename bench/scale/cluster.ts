import type { Usage } from "./usage.js";
import type { ApiMethods } from "./api-process.js";
import { Child, makeWorkspace } from "./child.js";
import type { HostMethods } from "./host-process.js";
import { nodeName } from "./nodes.js";
import { type ApiAccess, ProductProcess } from "./product-process.js";
import { NODE_IMAGES, NODE_POD_RESTARTS } from "../../src/api/resources.js";

/** Nodes that one host process carries at most. */
const NODES_PER_HOST = 2_500;
/** No rate limit of our own: the goals are about what the work costs. */
const CONTROLLER_ARGS = ["controller", "--feature-gates=ImagePullJobGate=true", "--rest-config-qps=-1"];

/** Memory of all processes of a simulated cluster. Units: MiB */
export interface ClusterMemory {
  readonly api: number;
  readonly hosts: number;
  readonly controller: number;
}

/** A simulated cluster: a process that is the API server, the real controller, and processes that are many nodes with our real agents. */
export class SimCluster {
  readonly directory: string;
  readonly api: Child<ApiMethods>;
  readonly access: ApiAccess;
  readonly hosts: Child<HostMethods>[] = [];
  readonly #removeWorkspace: () => void;
  readonly #nodeNames: string[] = [];
  #controller: ProductProcess | undefined;

  private constructor(parts: { directory: string; remove: () => void; api: Child<ApiMethods>; access: ApiAccess }) {
    this.directory = parts.directory;
    this.api = parts.api;
    this.access = parts.access;
    this.#removeWorkspace = parts.remove;
  }

  static async start(): Promise<SimCluster> {
    const { directory, remove } = makeWorkspace();
    const api = await Child.start<ApiMethods>("api-process", directory);
    return new SimCluster({ directory, remove, api, access: await api.call("start", undefined) });
  }

  get nodeNames(): readonly string[] {
    return this.#nodeNames;
  }

  get controller(): ProductProcess {
    if (this.#controller === undefined) throw new Error("the controller does not run");
    return this.#controller;
  }

  /** Starts the controller, or another one in its place. */
  async startController(nodeArgs: readonly string[] = []): Promise<void> {
    await this.stopController();
    const { directory, access } = this;
    this.#controller = await ProductProcess.start({ directory, access, args: CONTROLLER_ARGS, nodeArgs });
  }

  async stopController(): Promise<void> {
    await this.#controller?.stop();
    this.#controller = undefined;
  }

  /** Brings the cluster to so many nodes, with their objects and their agents ready. A controller must run. @returns how long that took */
  async growTo(count: number): Promise<number> {
    const names = Array.from({ length: count - this.#nodeNames.length }, (_, index) => nodeName(this.#nodeNames.length + index));
    const startMs = performance.now();
    await this.api.call("addNodes", { names });
    this.#nodeNames.push(...names);
    await this.api.call("untilNodesHave", { resources: [NODE_IMAGES, NODE_POD_RESTARTS] });
    let rest = names;
    for (let index = 0; rest.length > 0; index++) {
      const host = this.hosts[index] ?? (await this.#addHost());
      const free = index < this.#hosted.length ? NODES_PER_HOST - (this.#hosted[index] ?? 0) : NODES_PER_HOST;
      await host.call("addNodes", { names: rest.slice(0, free) });
      this.#hosted[index] = (this.#hosted[index] ?? 0) + Math.min(free, rest.length);
      rest = rest.slice(free);
    }
    return performance.now() - startMs;
  }

  readonly #hosted: number[] = [];

  async #addHost(): Promise<Child<HostMethods>> {
    const host = await Child.start<HostMethods>("host-process", this.directory);
    await host.call("start", this.access);
    this.hosts.push(host);
    return host;
  }

  memory(): ClusterMemory {
    const hosts = this.hosts.reduce((sum, host) => sum + host.usage().rssMiB, 0);
    return { api: this.api.usage().rssMiB, hosts, controller: this.#controller?.usage().rssMiB ?? 0 };
  }

  async stop(): Promise<void> {
    await this.stopController();
    await Promise.all([...this.hosts, this.api].map((child) => child.stop()));
    this.#removeWorkspace();
  }
}

/** Runs something and says what the processes used meanwhile, as shares of a core. */
export async function measured<T>(
  cluster: SimCluster,
  act: () => Promise<T>,
): Promise<{
  readonly result: T;
  readonly tookMs: number;
  readonly controller: Usage;
  readonly controllerMs: number;
  readonly apiShare: number;
  readonly hostShare: number;
}> {
  const cpu = (): readonly number[] => [
    cluster.controller.usage().cpuMs,
    cluster.api.usage().cpuMs,
    cluster.hosts.reduce((sum, host) => sum + host.usage().cpuMs, 0),
  ];
  const before = cpu();
  const startMs = performance.now();
  const result = await act();
  const tookMs = performance.now() - startMs;
  const [controllerMs = 0, apiMs = 0, hostMs = 0] = cpu().map((ms, index) => ms - (before[index] ?? 0));
  return { result, tookMs, controller: cluster.controller.usage(), controllerMs, apiShare: apiMs / tookMs, hostShare: hostMs / tookMs };
}
