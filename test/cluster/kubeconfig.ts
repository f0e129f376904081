import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LAB_ADDRESS } from "./addresses.js";
import { certificateFiles } from "./certificates.js";
import type { ClusterPaths } from "./state.js";

/** Writes a kubeconfig that names its certificates by path, for the holder of the certificate `user`; gives its path. */
export function writeKubeconfig(paths: ClusterPaths, user: string, file: string = join(paths.certificates, `${user}.kubeconfig`)): string {
  const { certificate, key } = certificateFiles(paths, user);
  const lines = [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    "  - name: podmend",
    "    cluster:",
    `      server: https://${LAB_ADDRESS}:443`,
    `      certificate-authority: ${certificateFiles(paths, "ca").certificate}`,
    "users:",
    `  - name: ${user}`,
    "    user:",
    `      client-certificate: ${certificate}`,
    `      client-key: ${key}`,
    "contexts:",
    "  - name: podmend",
    "    context:",
    "      cluster: podmend",
    `      user: ${user}`,
    "current-context: podmend",
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  return file;
}
