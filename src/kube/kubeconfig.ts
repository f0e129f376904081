import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import type { Clock } from "../lib/clock.js";
import type { Credentials, ServerAccess, TlsMaterial } from "./credentials.js";

export interface KubeconfigOptions {
  /** Default: what $KUBECONFIG and ~/.kube/config say, as kubectl. */
  readonly path?: string;
  /** Default: the file's current context. */
  readonly context?: string;
  readonly clock: Clock;
}

/** Credentials are asked for again after this; exec plug-ins are run only when what they gave has expired. */
const MAX_AGE_MS = 60_000;

/**
 * How a kubeconfig says to reach the API server, with client certificates, tokens, exec plug-ins and whatever else client-node knows.
 *
 * The only place that loads client-node, and only when called: it costs 75 MiB of memory.
 * @throws {TypeError} if the file cannot be read or names no such context or cluster
 */
export async function kubeconfigAccess(options: KubeconfigOptions): Promise<ServerAccess> {
  const load = await loader(options);
  const server = load().getCurrentCluster()?.server;
  if (server === undefined) throw new TypeError(`Cannot use ${describe(options)}: its context names no cluster`);
  return { server, credentials: new KubeconfigCredentials(load, options.clock) };
}

async function loader(options: KubeconfigOptions): Promise<() => KubeConfig> {
  const { KubeConfig: Config } = await import("@kubernetes/client-node");
  return () => {
    const config = new Config();
    try {
      if (options.path === undefined) config.loadFromDefault();
      else config.loadFromFile(options.path);
    } catch (error) {
      throw new TypeError(`Cannot read ${describe(options)}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    const context = options.context ?? config.getCurrentContext();
    if (config.getContextObject(context) === null) throw new TypeError(`Cannot use ${describe(options)}: there is no context "${context}"`);
    config.setCurrentContext(context);
    return config;
  };
}

function describe({ path }: KubeconfigOptions): string {
  return path === undefined ? "the default kubeconfig" : `kubeconfig "${path}"`;
}

/** What client-node puts into the options of a request. */
interface Applied {
  readonly authorization: string | undefined;
  readonly tls: TlsMaterial;
}

class KubeconfigCredentials implements Credentials {
  readonly #load: () => KubeConfig;
  readonly #clock: Clock;
  #config: KubeConfig | undefined;
  #applied: Promise<Applied> | undefined;
  #appliedAtMs = 0;
  #lastTls: TlsMaterial = {};

  constructor(load: () => KubeConfig, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  async authorization(): Promise<string | undefined> {
    return (await this.#current()).authorization;
  }

  renew(): void {
    this.#config = undefined; // with it go the tokens that its exec plug-ins gave
    this.#applied = undefined;
  }

  async tls(): Promise<TlsMaterial> {
    const { tls } = await this.#current();
    if (JSON.stringify(tls) !== JSON.stringify(this.#lastTls)) this.#lastTls = tls;
    return this.#lastTls;
  }

  #current(): Promise<Applied> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#applied !== undefined && nowMs - this.#appliedAtMs < MAX_AGE_MS) return this.#applied;
    this.#appliedAtMs = nowMs;
    this.#applied = this.#apply();
    this.#applied.catch(() => {
      this.#applied = undefined; // asked for again by the next request
    });
    return this.#applied;
  }

  async #apply(): Promise<Applied> {
    this.#config ??= this.#load();
    const options: RequestOptions & { servername?: string } = { headers: {} };
    await this.#config.applyToHTTPSOptions(options);
    const basic = typeof options.auth === "string" ? `Basic ${Buffer.from(options.auth).toString("base64")}` : undefined;
    const header = (options.headers as Record<string, string | undefined>)["Authorization"];
    return { authorization: basic ?? header, tls: toMaterial(options) };
  }
}

function toMaterial(options: RequestOptions & { servername?: string }): TlsMaterial {
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return {
    ...(ca === undefined ? {} : { ca: pem(ca) }),
    ...(cert === undefined ? {} : { cert: pem(cert) }),
    ...(key === undefined ? {} : { key: pem(key) }),
    ...(servername === undefined ? {} : { serverName: servername }),
    ...(rejectUnauthorized === false ? { insecure: true } : {}),
  };
}

function pem(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("utf8") : typeof value === "string" ? value : "";
}
