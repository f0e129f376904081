import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ensureBinaries } from "../cluster/binaries.js";
import { certificateFiles, createCertificates } from "../cluster/certificates.js";
import { type ClusterPaths, clusterPaths } from "../cluster/state.js";
import { type Daemon, startDaemon } from "./daemon.js";
import { eventually } from "./eventually.js";
import { goProblem } from "./go-module.js";

/** A kube-apiserver with its etcd on loopback: no nodes, no scheduler, and of controllers only those that collect what owners and namespaces leave. */
export interface RealApiServer {
  readonly url: string;
  /** PEM text of the authority that signed its certificate. */
  readonly ca: string;
  /** Of an administrator, who may also act for others. */
  readonly token: string;
  close(): Promise<void>;
}

const CONTROLLERS = ["garbage-collector-controller", "namespace-controller", "serviceaccount-controller"];
const START_TIMEOUT_MS = 60_000;

/** Why no API server can be started on this machine; undefined if one can. */
export function apiServerProblem(): string | undefined {
  const missing = ["openssl", "setpriv", "flock"].filter((program) => !isInstalled(program));
  return missing.length > 0 ? `missing: ${missing.join(", ")}` : goProblem();
}

/** Starts it in a temporary directory; builds the programs of the test cluster first where they are missing (minutes, once). */
export async function startRealApiServer(): Promise<RealApiServer> {
  const directory = mkdtempSync(join(tmpdir(), "podmend-api-"));
  const paths: ClusterPaths = {
    ...clusterPaths("conformance"),
    bin: join(directory, "bin"),
    certificates: join(directory, "certificates"),
  };
  await ensureBinaries(paths);
  await createCertificates(paths);
  const ports = { etcd: await freePort(), peer: await freePort(), server: await freePort() };
  const token = randomBytes(16).toString("hex");
  writeFileSync(join(directory, "tokens.csv"), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const server = {
    url: `https://127.0.0.1:${String(ports.server)}`,
    ca: readFileSync(certificateFiles(paths, "ca").certificate, "utf8"),
    token,
  };
  const daemons: Daemon[] = [];
  const start = (name: string, flags: Readonly<Record<string, string>>): void => {
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    daemons.push(startDaemon(join(directory, `${name}.log`), join(paths.bin, name), args));
  };
  const close = async (): Promise<void> => {
    for (const daemon of [...daemons].reverse()) await daemon.end("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    start("etcd", etcdFlags(directory, ports));
    start("kube-apiserver", serverFlags(paths, directory, ports));
    await eventually(() => expectReady(server, daemons), START_TIMEOUT_MS, 100);
    start("kube-controller-manager", managerFlags(paths, directory, server));
  } catch (error) {
    await close();
    throw error;
  }
  return { ...server, close };
}

interface Ports {
  readonly etcd: number;
  readonly peer: number;
  readonly server: number;
}

type Flags = Readonly<Record<string, string>>;

function etcdFlags(directory: string, { etcd, peer }: Ports): Flags {
  const url = `http://127.0.0.1:${String(etcd)}`;
  return {
    "data-dir": join(directory, "etcd"),
    "listen-client-urls": url,
    "advertise-client-urls": url,
    "listen-peer-urls": `http://127.0.0.1:${String(peer)}`,
    "unsafe-no-fsync": "true",
    "log-level": "warn",
  };
}

function serverFlags(paths: ClusterPaths, directory: string, { etcd, server }: Ports): Flags {
  const own = certificateFiles(paths, "kube-apiserver");
  const { key } = certificateFiles(paths, "service-accounts");
  return {
    "etcd-servers": `http://127.0.0.1:${String(etcd)}`,
    "bind-address": "127.0.0.1",
    "advertise-address": "127.0.0.1",
    "endpoint-reconciler-type": "none",
    "secure-port": String(server),
    "service-cluster-ip-range": "10.96.0.0/24",
    "client-ca-file": certificateFiles(paths, "ca").certificate,
    "tls-cert-file": own.certificate,
    "tls-private-key-file": own.key,
    "token-auth-file": join(directory, "tokens.csv"),
    "authorization-mode": "RBAC",
    // Pods are compared as the client made them, not as these change them.
    "disable-admission-plugins": "ServiceAccount,DefaultTolerationSeconds,Priority",
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-key-file": key,
    "service-account-signing-key-file": key,
    profiling: "false",
  };
}

function managerFlags(paths: ClusterPaths, directory: string, { url, token }: RealApiServerAccess): Flags {
  const kubeconfig = join(directory, "kubeconfig");
  const text = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "real", cluster: { server: url, "certificate-authority": certificateFiles(paths, "ca").certificate } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "real", context: { cluster: "real", user: "admin" } }],
    "current-context": "real",
  };
  writeFileSync(kubeconfig, JSON.stringify(text), { mode: 0o600 });
  return { kubeconfig, controllers: CONTROLLERS.join(","), "leader-elect": "false", "secure-port": "0" };
}

type RealApiServerAccess = Pick<RealApiServer, "url" | "ca" | "token">;

async function expectReady({ url, ca, token }: RealApiServerAccess, daemons: readonly Daemon[]): Promise<void> {
  const ended = daemons.find((daemon) => daemon.hasEnded());
  if (ended !== undefined) throw new Error(`An API server's program has ended: ${ended.logTail()}`);
  const agent = new Agent({ ca });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const outgoing = request(`${url}/readyz`, { agent, headers: { authorization: `Bearer ${token}` } });
    outgoing.once("error", reject);
    outgoing.once("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    outgoing.end();
  }).finally(() => agent.destroy());
  if (status !== 200) throw new Error(`The API server is not ready: ${String(status)}`);
}

function isInstalled(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((directory) => existsSync(join(directory, program)));
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
