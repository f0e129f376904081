import { inClusterAccess } from "../kube/auth.js";
import type { KubeClient } from "../kube/client.js";
import type { ServerAccess } from "../kube/credentials.js";
import { createKubeClient } from "../kube/kube-client.js";
import { createNodeWire } from "../kube/node-http2-wire.js";
import type { Metrics } from "../lib/metrics.js";
import type { Ports } from "./ports.js";
import { VERSION } from "./version.js";

/** The flags that say where the API server is and who we are to it. */
export interface AccessFlags {
  /** Empty: the pod's service account. */
  readonly kubeconfig: string;
  readonly "service-account-directory": string;
}

/**
 * Finds the API server's address and our credentials; nothing is sent, and credentials in files are not read yet.
 *
 * @throws {TypeError} outside of a cluster without a kubeconfig, or if that cannot be used
 */
export async function serverAccess(flags: AccessFlags, ports: Ports): Promise<ServerAccess> {
  const { files, clock } = ports;
  if (flags.kubeconfig !== "") {
    const { kubeconfigAccess } = await import("../kube/kubeconfig.js");
    return kubeconfigAccess({ path: flags.kubeconfig, clock }).catch(explainMissingReader);
  }
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = ports.process.env;
  return inClusterAccess({ host, port, directory: flags["service-account-directory"], files, clock });
}

/** The image does without the package that reads kubeconfigs, since nobody in a cluster needs it. */
function explainMissingReader(error: unknown): never {
  if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
  throw new TypeError(
    'flag "--kubeconfig" cannot be used here: package @kubernetes/client-node, which reads kubeconfigs, is not installed',
    {
      cause: error,
    },
  );
}

/** Who connects, and how. */
export interface ConnectOptions {
  readonly component: "agent" | "controller";
  readonly access: ServerAccess;
  readonly qps: number;
  readonly burst: number;
  readonly metrics: Metrics;
}

/** The API server, and how to let go of it. */
export interface Connection {
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** Makes the client for the API server; nothing is sent yet. */
export function connect(options: ConnectOptions, { clock, random }: Pick<Ports, "clock" | "random">): Connection {
  const { component, access, qps, burst, metrics } = options;
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
