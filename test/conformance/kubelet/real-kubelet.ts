import type { Pod } from "../../../src/api/pod.js";
import { api, makeNamespace, nodeNames } from "../../e2e/support/cluster.js";
import { containerPid } from "../../e2e/support/processes.js";
import { type Entry, type Json, type Run, Trace } from "./run.js";
import { IMAGES, type Scenario } from "./scenarios.js";

const TIMEOUT_MS = 120_000;
const POLL_MS = 10;

/** The kubelet of the test cluster's first node, with a namespace of its own for each pod so that their objects have fixed names. */
export class RealKubelet {
  readonly #node: string;

  constructor(node: string) {
    this.#node = node;
  }

  static async open(): Promise<RealKubelet> {
    const [node = ""] = await nodeNames();
    return new RealKubelet(node);
  }

  /** Has the node pull what the scenarios start with. */
  async warmUp(): Promise<void> {
    const containers = IMAGES.map((image, index) => ({ name: `c${String(index)}`, image, command: ["sleep", "1000"] }));
    const warm: Scenario = {
      name: "warm-up",
      spec: { terminationGracePeriodSeconds: 1, containers },
      steps: (run) => run.until("Running", (pod) => pod?.status?.phase === "Running"),
    };
    await this.run(warm);
  }

  async run(scenario: Scenario): Promise<readonly Entry[]> {
    const namespace = await makeNamespace("kubelet");
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const { metadata } = await api.get<{ readonly metadata: { readonly resourceVersion: string } }>(path);
    const pod = new ObservedPod(scenario, metadata.resourceVersion, path);
    try {
      await api.create(path, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: scenario.name, annotations: { config: "one" } },
        spec: { nodeName: this.#node, automountServiceAccountToken: false, ...scenario.spec },
      });
      await scenario.steps(this.#actions(pod, namespace));
    } finally {
      pod.close();
      await api.call("DELETE", `${path}/${scenario.name}?gracePeriodSeconds=0`);
      await api.remove(`/api/v1/namespaces/${namespace}`);
    }
    return pod.trace.entries;
  }

  #actions(pod: ObservedPod, namespace: string): Run {
    return {
      async patch(body, subresource) {
        pod.act("patch");
        await pod.patch(body, subresource);
      },
      async remove(gracePeriodSeconds) {
        pod.act("delete");
        await api.call(
          "DELETE",
          gracePeriodSeconds === undefined ? pod.path : `${pod.path}?gracePeriodSeconds=${String(gracePeriodSeconds)}`,
        );
      },
      async kill(container) {
        const pid = await containerPid(pod.present, container);
        pod.act(`kill ${container}`);
        process.kill(pid, "SIGKILL");
      },
      async createConfigMap(data) {
        pod.act("create ConfigMap");
        await api.create(`/api/v1/namespaces/${namespace}/configmaps`, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "config" },
          data,
        });
      },
      until: (what, holds) => pod.until(what, holds),
      rest: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
    };
  }
}

/** A pod of the cluster as a watch shows it. */
class ObservedPod {
  readonly path: string;
  readonly trace = new Trace(performance.now());
  readonly #name: string;
  readonly close: () => void;
  #pod: Pod | undefined;

  constructor({ name }: Scenario, resourceVersion: string, path: string) {
    this.#name = name;
    this.path = `${path}/${name}`;
    this.close = api.watch<Pod>(path, resourceVersion, ({ type, object }) => {
      this.#pod = type === "DELETED" ? undefined : object;
      this.trace.see(this.#pod, performance.now());
    });
  }

  get present(): Pod {
    if (this.#pod === undefined) throw new Error(`${this.#name} is gone`);
    return this.#pod;
  }

  act(name: string): void {
    this.trace.act(name, performance.now());
  }

  async patch(body: Json, subresource: string | undefined): Promise<void> {
    const path = subresource === undefined ? this.path : `${this.path}/${subresource}`;
    const { status } = await api.call("PATCH", path, { body, contentType: "application/strategic-merge-patch+json" });
    if (status !== 200) throw new Error(`${this.#name} cannot be patched: ${String(status)}`);
  }

  async until(what: string, holds: (pod: Pod | undefined) => boolean): Promise<void> {
    const endMs = performance.now() + TIMEOUT_MS;
    while (!holds(this.#pod)) {
      if (performance.now() > endMs) throw new Error(`${this.#name} on the real kubelet: not "${what}" in time`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
