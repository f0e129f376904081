import { LEASES, NODES } from "../../src/api/resources.js";
import type { ApiState } from "../../src/sim/api-server/api-state.js";
import { toTime } from "../../src/sim/api-server/object-rules.js";

const LEASE_NAMESPACE = "kube-node-lease";
const LEASE_PERIOD_MS = 10_000;
const STATUS_PERIOD_MS = 300_000;
const BEAT_MS = 100;
const IMAGES_PER_NODE = 30;
const MERGE = "application/merge-patch+json";

/** How the bench calls its nodes. */
export function nodeName(index: number): string {
  return `node-${String(index).padStart(5, "0")}`;
}

/** The nodes of a cluster, and what their kubelets write while nothing happens: a lease every 10 s, the status every 5 minutes. */
export class Nodes {
  readonly #state: ApiState;
  readonly #names: string[] = [];
  #beats = 0;

  constructor(state: ApiState) {
    this.#state = state;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  add(names: readonly string[]): void {
    for (const name of names) {
      this.#state.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name, labels: labelsOf(name) }, spec: {} });
      this.#writeStatus(name);
      const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace: LEASE_NAMESPACE } };
      this.#state.create(LEASES, { ...lease, spec: this.#leaseSpec(name) }, LEASE_NAMESPACE);
      this.#names.push(name);
    }
  }

  /** Begins the heartbeats, spread evenly over their periods. */
  beat(): void {
    setInterval(() => {
      this.#beats++;
      this.#slice(LEASE_PERIOD_MS, (name) => {
        this.#state.patch(LEASES, { namespace: LEASE_NAMESPACE, name }, { contentType: MERGE, body: { spec: this.#leaseSpec(name) } });
      });
      this.#slice(STATUS_PERIOD_MS, (name) => this.#writeStatus(name));
    }, BEAT_MS);
  }

  /** Those nodes whose turn within a period is now. */
  #slice(periodMs: number, act: (name: string) => void): void {
    const slots = periodMs / BEAT_MS;
    for (let index = this.#beats % slots; index < this.#names.length; index += slots) act(this.#names[index] ?? "");
  }

  #leaseSpec(name: string): object {
    return { holderIdentity: name, leaseDurationSeconds: 40, renewTime: new Date(this.#state.clock.nowMs()).toISOString() };
  }

  #writeStatus(name: string): void {
    const body = { status: nodeStatus(this.#state.clock.nowMs()) };
    this.#state.patch(NODES, { name }, { contentType: MERGE, body, subresource: "status" });
  }
}

function labelsOf(name: string): Readonly<Record<string, string>> {
  return {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "node.kubernetes.io/instance-type": "m5.xlarge",
    "topology.kubernetes.io/region": "eu-1",
    "topology.kubernetes.io/zone": "eu-1a",
  };
}

/** As large as those of real nodes: most of it is the list of images. */
function nodeStatus(nowMs: number): object {
  const lastHeartbeatTime = toTime(nowMs);
  const condition = (type: string, status: string, reason: string): object => {
    return { type, status, reason, message: `kubelet says: ${reason}`, lastHeartbeatTime, lastTransitionTime: "2026-01-01T00:00:00Z" };
  };
  const resources = { cpu: "4", memory: "16073456Ki", "ephemeral-storage": "81106868Ki", "hugepages-2Mi": "0", pods: "110" };
  return {
    capacity: resources,
    allocatable: resources,
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID"),
      condition("Ready", "True", "KubeletReady"),
    ],
    addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    nodeInfo: {
      kernelVersion: "6.1.0",
      osImage: "Debian GNU/Linux 12",
      containerRuntimeVersion: "containerd://2.0.0",
      kubeletVersion: "v1.35.0",
    },
    images: Array.from({ length: IMAGES_PER_NODE }, (_, index) => ({
      names: [
        `registry.test/team/app-${String(index)}@sha256:${"0123456789abcdef".repeat(4)}`,
        `registry.test/team/app-${String(index)}:v1`,
      ],
      sizeBytes: 40_000_000 + index,
    })),
  };
}
