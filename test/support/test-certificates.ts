import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** PEM texts of one certificate and its key. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface TestAuthority extends TestCertificate {
  /** A certificate for 127.0.0.1 and localhost, good for servers and clients. */
  issue(commonName: string): Promise<TestCertificate>;
}

/** Makes a certificate authority with openssl; nothing stays on disk. */
export async function makeAuthority(commonName: string): Promise<TestAuthority> {
  const directory = await mkdtemp(join(tmpdir(), "podmend-ca-"));
  try {
    const authority = await makeCertificate(directory, ["-x509", "-subj", `/CN=${commonName}`]);
    return { ...authority, issue: (name) => issue(authority, name) };
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function issue(authority: TestCertificate, commonName: string): Promise<TestCertificate> {
  const directory = await mkdtemp(join(tmpdir(), "podmend-cert-"));
  const path = (name: string): string => join(directory, name);
  try {
    await writeFile(path("ca.crt"), authority.cert);
    await writeFile(path("ca.key"), authority.key);
    await writeFile(path("extensions"), "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n");
    const { cert: request, key } = await makeCertificate(directory, ["-subj", `/CN=${commonName}`]);
    await writeFile(path("request"), request);
    const signing = ["-CA", path("ca.crt"), "-CAkey", path("ca.key"), "-CAcreateserial", "-extfile", path("extensions")];
    await run("openssl", ["x509", "-req", "-in", path("request"), ...signing, "-days", "2", "-out", path("signed.crt")]);
    return { cert: await readFile(path("signed.crt"), "utf8"), key };
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function makeCertificate(directory: string, args: readonly string[]): Promise<TestCertificate> {
  const [cert, key] = [join(directory, "made"), join(directory, "made.key")];
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key];
  await run("openssl", ["req", "-new", ...newKey, ...args, "-out", cert]);
  return { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}
