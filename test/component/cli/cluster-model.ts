import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiState } from "../../../src/sim/api-server/api-state.js";
import { type ApiServer, startApiServer } from "../../../src/sim/api-server/api-server.js";
import { makeAuthority, type TestCertificate } from "../../support/test-certificates.js";

const TOKEN = "token-of-the-service-account";

/** A model of an API server with TLS and a service account mounted for a process of ours. */
export interface ClusterModel {
  readonly state: ApiState;
  /** The running server. @throws while it is stopped */
  server(): ApiServer;
  /** The environment and flags of a pod in this cluster. */
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** A kubeconfig for it. */
  readonly kubeconfig: string;
  readonly token: string;
  /** The API server goes away, with its connections; what it stores stays. */
  stopServer(): Promise<void>;
  /** It comes (back) on its port. */
  startServer(): Promise<void>;
  close(): Promise<void>;
}

/** Starts it on a loopback port. */
export async function startClusterModel(): Promise<ClusterModel> {
  const directory = await mkdtemp(join(tmpdir(), "podmend-cluster-"));
  const authority = await makeAuthority("test authority");
  const tls: TestCertificate = await authority.issue("kube-apiserver");
  const state = new ApiState({ podTerminationMs: 20 });
  let running: ApiServer | undefined = await startApiServer({ state, tls, token: TOKEN });
  const { port } = running;
  const account = join(directory, "service-account");
  await mkdir(account);
  await writeFile(join(account, "token"), TOKEN);
  await writeFile(join(account, "ca.crt"), authority.cert);
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigText(port, authority.cert));
  return {
    state,
    token: TOKEN,
    kubeconfig,
    env: { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port) },
    args: [`--service-account-directory=${account}`],
    server() {
      if (running === undefined) throw new Error("the API server is stopped");
      return running;
    },
    async stopServer() {
      await running?.stop();
      running = undefined;
    },
    async startServer() {
      running ??= await startApiServer({ state, tls, token: TOKEN, port });
    },
    async close() {
      await running?.stop();
      state.close();
      await rm(directory, { recursive: true });
    },
  };
}

function kubeconfigText(port: number, ca: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "model",
        cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority-data": Buffer.from(ca).toString("base64") },
      },
    ],
    users: [{ name: "me", user: { token: TOKEN } }],
    contexts: [{ name: "model", context: { cluster: "model", user: "me" } }],
    "current-context": "model",
  });
}
