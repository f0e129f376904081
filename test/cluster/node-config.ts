import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DNS_SERVICE_ADDRESS, LAB_ADDRESS, podSubnet, REGISTRY } from "./addresses.js";
import { certificateFiles } from "./certificates.js";
import { type ClusterPaths, nodeDirectory } from "./state.js";

/** The files that a node's programs are started with. */
export type NodeConfig = { readonly containerd: string; readonly kubelet: string };

/** The sandbox image of every pod. */
export const PAUSE_IMAGE = `${REGISTRY}/pause:v1`;

/** Writes the configuration of a node's containerd, kubelet and pod network. */
export function writeNodeConfig(paths: ClusterPaths, node: string): NodeConfig {
  const directory = nodeDirectory(paths, node);
  const registries = join(directory, "registries");
  mkdirSync(join(registries, "_default"), { recursive: true });
  writeFileSync(join(registries, "_default", "hosts.toml"), registryHosts());
  const network = join(directory, "etc/cni/net.d");
  mkdirSync(network, { recursive: true });
  writeFileSync(join(network, "10-lab.conflist"), JSON.stringify(podNetwork(node), undefined, 2));
  writeFileSync(join(directory, "resolv.conf"), `nameserver ${LAB_ADDRESS}\n`);
  const files = { containerd: join(directory, "containerd.toml"), kubelet: join(directory, "kubelet.json") };
  writeFileSync(files.containerd, containerdConfig(registries));
  writeFileSync(files.kubelet, JSON.stringify(kubeletConfig(paths, node), undefined, 2));
  return files;
}

function registryHosts(): string {
  return `server = "http://${REGISTRY}"\n[host."http://${REGISTRY}"]\n  capabilities = ["pull", "resolve"]\n`;
}

function containerdConfig(registries: string): string {
  return `version = 2
oom_score = 0
[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${registries}"
`;
}

function podNetwork(node: string): object {
  const addresses = { type: "host-local", ranges: [[{ subnet: podSubnet(node) }]], routes: [{ dst: "0.0.0.0/0" }] };
  return {
    cniVersion: "0.4.0",
    name: "lab",
    plugins: [
      { type: "bridge", bridge: "cni0", isGateway: true, hairpinMode: true, ipam: addresses },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
}

function kubeletConfig(paths: ClusterPaths, node: string): object {
  const server = certificateFiles(paths, `${node}-server`);
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: certificateFiles(paths, "ca").certificate },
    },
    authorization: { mode: "Webhook" },
    tlsCertFile: server.certificate,
    tlsPrivateKeyFile: server.key,
    containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
    cgroupDriver: "cgroupfs",
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    localStorageCapacityIsolation: false,
    oomScoreAdj: 0,
    maxPods: 250,
    evictionHard: { "memory.available": "1Mi", "nodefs.available": "0.1%", "imagefs.available": "0.1%", "nodefs.inodesFree": "0.1%" },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    clusterDNS: [DNS_SERVICE_ADDRESS],
    clusterDomain: "cluster.local",
    resolvConf: join(nodeDirectory(paths, node), "resolv.conf"),
    volumePluginDir: "/var/lib/kubelet/plugins/volume",
  };
}
