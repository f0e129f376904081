import { inClusterAccess } from "../kube/auth.js";
import type { KubeClient } from "../kube/client.js";
import type { ServerAccess } from "../kube/credentials.js";
import { createKubeClient } from "../kube/kube-client.js";
import { createNodeWire } from "../kube/node-http2-wire.js";
import type { Metrics } from "../lib/metrics.js";
import type { Ports } from "./ports.js";
import { VERSION } from "./version.js";

/** Who connects, and how. */
export interface ConnectOptions {
  readonly component: "agent" | "controller";
  /** Empty: the pod's service account. */
  readonly kubeconfig: string;
  readonly qps: number;
  readonly burst: number;
  readonly metrics: Metrics;
}

/** The API server, and how to let go of it. */
export interface Connection {
  readonly client: KubeClient;
  close(): Promise<void>;
}

/**
 * Makes the client for the API server; nothing is sent yet.
 *
 * @throws {TypeError} outside of a cluster without a kubeconfig, or if that cannot be used
 */
export async function connect(options: ConnectOptions, ports: Ports): Promise<Connection> {
  const { component, qps, burst, metrics } = options;
  const { clock, random } = ports;
  const access = await serverAccess(options.kubeconfig, ports);
  const wire = createNodeWire({ ...access, clock });
  const client = createKubeClient({
    wire,
    credentials: access.credentials,
    component,
    version: VERSION,
    qps,
    burst,
    clock,
    random,
    metrics,
  });
  return { client, close: () => wire.close() };
}

async function serverAccess(kubeconfig: string, ports: Ports): Promise<ServerAccess> {
  if (kubeconfig !== "") {
    const { kubeconfigAccess } = await import("../kube/kubeconfig.js");
    return kubeconfigAccess({ path: kubeconfig, clock: ports.clock });
  }
  const { files, clock } = ports;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = ports.process.env;
  return inClusterAccess({ host, port, files, clock });
}
