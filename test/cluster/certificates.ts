import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_SERVICE_ADDRESS, LAB_ADDRESS, nodeAddress } from "./addresses.js";
import { run } from "./shell.js";
import type { ClusterPaths } from "./state.js";

/** A certificate together with its key, as files. */
export type CertificateFiles = { readonly certificate: string; readonly key: string };

type Subject = {
  readonly name: string;
  readonly commonName: string;
  readonly organization?: string;
  /** In openssl's notation; present for servers only. */
  readonly alternativeNames?: string;
};

const VALID_DAYS = "365";

/** Where the certificate of that name is, whether made or not. */
export function certificateFiles(paths: ClusterPaths, name: string): CertificateFiles {
  return { certificate: join(paths.certificates, `${name}.crt`), key: join(paths.certificates, `${name}.key`) };
}

/** Makes the cluster's authority, the key pair for service account tokens, and the certificates of the control plane and of the administrator. */
export async function createCertificates(paths: ClusterPaths): Promise<void> {
  mkdirSync(paths.certificates, { recursive: true, mode: 0o700 });
  const authority = certificateFiles(paths, "ca");
  await run("openssl", [
    "req",
    "-x509",
    ...newKey(authority.key),
    "-subj",
    "/CN=podmend-test-cluster",
    "-days",
    VALID_DAYS,
    "-out",
    authority.certificate,
  ]);
  await run("openssl", [
    "genpkey",
    "-algorithm",
    "RSA",
    "-pkeyopt",
    "rsa_keygen_bits:2048",
    "-out",
    certificateFiles(paths, "service-accounts").key,
  ]);
  const names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "localhost"];
  const addresses = [LAB_ADDRESS, API_SERVICE_ADDRESS, "127.0.0.1"];
  const alternativeNames = [...names.map((name) => `DNS:${name}`), ...addresses.map((address) => `IP:${address}`)].join(",");
  await Promise.all([
    createCertificate(paths, { name: "kube-apiserver", commonName: "kube-apiserver", alternativeNames }),
    createCertificate(paths, { name: "kubelet-client", commonName: "kube-apiserver-kubelet-client", organization: "system:masters" }),
    createCertificate(paths, { name: "kube-controller-manager", commonName: "system:kube-controller-manager" }),
    createCertificate(paths, { name: "kube-scheduler", commonName: "system:kube-scheduler" }),
    createCertificate(paths, { name: "admin", commonName: "admin", organization: "system:masters" }),
  ]);
}

/** Makes the certificates of a node: as client of the API server, and as the server that logs and exec go to. */
export async function createNodeCertificates(paths: ClusterPaths, node: string): Promise<void> {
  const subject = { commonName: `system:node:${node}`, organization: "system:nodes" };
  await Promise.all([
    createCertificate(paths, { ...subject, name: node }),
    createCertificate(paths, { ...subject, name: `${node}-server`, alternativeNames: `DNS:${node},IP:${nodeAddress(node)}` }),
  ]);
}

async function createCertificate(paths: ClusterPaths, subject: Subject): Promise<void> {
  const { certificate, key } = certificateFiles(paths, subject.name);
  const authority = certificateFiles(paths, "ca");
  const organization = subject.organization === undefined ? "" : `/O=${subject.organization}`;
  const usage = subject.alternativeNames === undefined ? "clientAuth" : "serverAuth,clientAuth";
  const names = subject.alternativeNames === undefined ? "" : `subjectAltName=${subject.alternativeNames}\n`;
  const extensions = `${certificate}.extensions`;
  writeFileSync(extensions, `keyUsage=digitalSignature\nextendedKeyUsage=${usage}\n${names}`);
  const request = await run("openssl", ["req", "-new", ...newKey(key), "-subj", `${organization}/CN=${subject.commonName}`]);
  const signing = ["-CA", authority.certificate, "-CAkey", authority.key, "-set_serial", `0x${serialNumber()}`, "-extfile", extensions];
  await run("openssl", ["x509", "-req", ...signing, "-days", VALID_DAYS, "-out", certificate], { input: request });
}

function newKey(file: string): readonly string[] {
  return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file];
}

/** Each call gives another number: several certificates are signed at once, so a counter file would be torn. */
function serialNumber(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(1);
}
