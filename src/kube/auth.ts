import type { Clock } from "../lib/clock.js";
import type { Files } from "../lib/files.js";
import type { Credentials, ServerAccess, TlsMaterial } from "./credentials.js";
import { FreshFile } from "./fresh-file.js";

/** Where a pod's service account is mounted. */
export const SERVICE_ACCOUNT_DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount";

export interface InClusterOptions {
  /** Of the environment: KUBERNETES_SERVICE_HOST. */
  readonly host: string | undefined;
  /** Of the environment: KUBERNETES_SERVICE_PORT. */
  readonly port: string | undefined;
  /** Default: where Kubernetes mounts it. */
  readonly directory?: string;
  readonly files: Files;
  readonly clock: Clock;
}

/**
 * How a pod reaches its API server: by the service's address, the mounted token and the mounted authority.
 *
 * @throws {TypeError} outside of a cluster
 */
export function inClusterAccess(options: InClusterOptions): ServerAccess {
  const { host, port, directory = SERVICE_ACCOUNT_DIRECTORY, files, clock } = options;
  if (host === undefined || host === "" || port === undefined || port === "") {
    throw new TypeError(
      "Cannot find the API server: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, and no kubeconfig is given",
    );
  }
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { server, credentials: fileCredentials({ token: `${directory}/token`, ca: `${directory}/ca.crt`, files, clock }) };
}

/** Paths of what identifies us and whom we trust. */
export interface FileCredentialsOptions {
  readonly token?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly files: Files;
  readonly clock: Clock;
}

/** Credentials kept in files, read again when a file changed, after 60 s, and at once after `renew`. */
export function fileCredentials(options: FileCredentialsOptions): Credentials {
  const open = (path: string | undefined): FreshFile | undefined => (path === undefined ? undefined : new FreshFile(path, options));
  const [token, ca, cert, key] = [open(options.token), open(options.ca), open(options.cert), open(options.key)];
  let last: TlsMaterial = {};
  return {
    async authorization() {
      return token === undefined ? undefined : `Bearer ${(await token.read()).trim()}`;
    },
    renew() {
      for (const file of [token, ca, cert, key]) file?.expire();
    },
    async tls() {
      const next = { ...(await field("ca", ca)), ...(await field("cert", cert)), ...(await field("key", key)) };
      if (next.ca !== last.ca || next.cert !== last.cert || next.key !== last.key) last = next;
      return last;
    },
  };
}

async function field<Name extends "ca" | "cert" | "key">(
  name: Name,
  file: FreshFile | undefined,
): Promise<Pick<TlsMaterial, Name> | undefined> {
  return file === undefined ? undefined : ({ [name]: await file.read() } as Pick<TlsMaterial, Name>);
}
