import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LAB_ADDRESS, SERVICE_RANGE } from "./addresses.js";
import { certificateFiles } from "./certificates.js";
import { daemonFailure, daemonPid, startDaemon } from "./daemon.js";
import { writeKubeconfig } from "./kubeconfig.js";
import { isApiReady } from "./kubectl.js";
import { NETWORK } from "./network.js";
import { waitUntil } from "./shell.js";
import type { ClusterPaths } from "./state.js";

const START_TIMEOUT_MS = 90_000;
const ETCD = "http://127.0.0.1:2379";

/** Starts etcd, the API server, the controller manager and the scheduler, and waits until the API server is ready. */
export async function startControlPlane(paths: ClusterPaths): Promise<void> {
  startProgram(paths, "etcd", etcdFlags(paths));
  startProgram(paths, "kube-apiserver", apiServerFlags(paths));
  await waitUntil({
    what: '"kube-apiserver"',
    timeoutMs: START_TIMEOUT_MS,
    isDone: () => isApiReady(paths),
    failure: () => daemonFailure(paths, "etcd") ?? daemonFailure(paths, "kube-apiserver"),
  });
  // WARNING: only now; the controller manager ends when the API server is not ready.
  startProgram(paths, "kube-controller-manager", controllerManagerFlags(paths));
  startProgram(paths, "kube-scheduler", { kubeconfig: writeKubeconfig(paths, "kube-scheduler"), "leader-elect": "false" });
}

type Flags = Readonly<Record<string, string>>;

function startProgram(paths: ClusterPaths, name: string, flags: Flags): void {
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  startDaemon(paths, { name, command: join(paths.bin, name), args, within: { pid: daemonPid(paths, NETWORK), namespaces: ["-n"] } });
}

function etcdFlags(paths: ClusterPaths): Flags {
  return {
    "data-dir": join(paths.state, "etcd"),
    "listen-client-urls": ETCD,
    "advertise-client-urls": ETCD,
    "listen-peer-urls": "http://127.0.0.1:2380",
    "unsafe-no-fsync": "true",
    "log-level": "warn",
  };
}

function apiServerFlags(paths: ClusterPaths): Flags {
  const server = certificateFiles(paths, "kube-apiserver");
  const toKubelet = certificateFiles(paths, "kubelet-client");
  const authority = certificateFiles(paths, "ca").certificate;
  const serviceAccounts = certificateFiles(paths, "service-accounts").key;
  return {
    "etcd-servers": ETCD,
    "bind-address": "0.0.0.0",
    "secure-port": "443",
    "advertise-address": LAB_ADDRESS,
    "service-cluster-ip-range": SERVICE_RANGE,
    "client-ca-file": authority,
    "tls-cert-file": server.certificate,
    "tls-private-key-file": server.key,
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "allow-privileged": "true",
    // Webhook services resolve to the addresses of their pods, so no kube-proxy is needed.
    "enable-aggregator-routing": "true",
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-key-file": serviceAccounts,
    "service-account-signing-key-file": serviceAccounts,
    "kubelet-certificate-authority": authority,
    "kubelet-client-certificate": toKubelet.certificate,
    "kubelet-client-key": toKubelet.key,
    "kubelet-preferred-address-types": "InternalIP",
    ...auditFlags(paths),
  };
}

function auditFlags(paths: ClusterPaths): Flags {
  const policy = join(paths.state, "audit-policy.yaml");
  writeFileSync(policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n  - level: Metadata\n");
  return { "audit-policy-file": policy, "audit-log-path": paths.auditLog, "audit-log-maxsize": "2000" };
}

function controllerManagerFlags(paths: ClusterPaths): Flags {
  const authority = certificateFiles(paths, "ca");
  return {
    kubeconfig: writeKubeconfig(paths, "kube-controller-manager"),
    "root-ca-file": authority.certificate,
    "cluster-signing-cert-file": authority.certificate,
    "cluster-signing-key-file": authority.key,
    "service-account-private-key-file": certificateFiles(paths, "service-accounts").key,
    "use-service-account-credentials": "true",
    "leader-elect": "false",
    "kube-api-qps": "100",
    "kube-api-burst": "200",
  };
}
