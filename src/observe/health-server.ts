import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { OperationError } from "../lib/failure.js";
import type { Logger } from "../lib/logger.js";
import type { Task } from "../lib/tasks.js";
import type { MetricsRegistry } from "./metrics.js";

/** One condition of readiness. */
export interface ReadinessCheck {
  readonly name: string;
  /** Undefined when fine, else what is wrong, in a few words. */
  problem(): string | undefined;
}

export interface HealthServerOptions {
  /** Where to listen, as Go programs write it: `:10221` or `127.0.0.1:10221`. */
  readonly address: string;
  readonly checks: readonly ReadinessCheck[];
  readonly metrics: MetricsRegistry;
  readonly version: string;
  readonly logger: Logger;
}

/** /livez and /healthz (the process is alive), /readyz (each check by name), /metrics and /version. Probes are not logged. */
export interface HealthServer extends Task {
  /** Resolves when it listens. @throws {OperationError} transient HEALTH_CANNOT_LISTEN, for example when the port is taken */
  start(): Promise<void>;
  /** Where it listens, once started. */
  address(): { readonly host: string; readonly port: number };
}

/** Splits `:8080` or `host:8080`. @throws {TypeError} naming the allowed form */
export function parseListenAddress(text: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) throw new TypeError(`invalid listen address "${text}": allowed is :PORT or HOST:PORT`);
  return { host: match[1] ?? match[2] ?? "", port };
}

/** Makes the server; nothing listens before `start`. */
export function createHealthServer(options: HealthServerOptions): HealthServer {
  return new HttpHealthServer(options);
}

class HttpHealthServer implements HealthServer {
  readonly name = "health-server";
  readonly #options: HealthServerOptions;
  readonly #server: Server;

  constructor(options: HealthServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((failure: unknown) => {
        options.logger.error("Health server cannot answer", { failure });
        send(response, { status: 500, body: "internal error\n" });
      });
    });
  }

  async start(): Promise<void> {
    const { host, port } = parseListenAddress(this.#options.address);
    await new Promise<void>((resolve, reject) => {
      const refuse = (cause: Error): void => reject(cannotListen(this.#options.address, cause));
      this.#server.once("error", refuse);
      this.#server.listen({ port, ...(host === "" ? {} : { host }) }, () => {
        this.#server.off("error", refuse);
        this.#options.logger.info("Health server listens", this.address());
        resolve();
      });
    });
  }

  address(): { readonly host: string; readonly port: number } {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("Cannot tell the address: the health server does not listen");
    return { host: address.address, port: address.port };
  }

  async run(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      const close = (): void => {
        this.#server.close(() => resolve());
        this.#server.closeAllConnections();
      };
      if (signal.aborted) close();
      else signal.addEventListener("abort", close, { once: true });
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, query] = (request.url ?? "/").split("?", 2);
    if (request.method !== "GET" && request.method !== "HEAD") return send(response, { status: 405, body: "method not allowed\n" });
    switch (path) {
      case "/livez":
      case "/healthz":
        return send(response, { status: 200, body: "ok" });
      case "/readyz":
        return this.#answerReadiness(response, new URLSearchParams(query).has("verbose"));
      case "/metrics":
        return send(response, { status: 200, body: await this.#options.metrics.render(), contentType: this.#options.metrics.contentType });
      case "/version":
        return send(response, {
          status: 200,
          body: `${JSON.stringify({ version: this.#options.version, node: process.version })}\n`,
          contentType: "application/json",
        });
      default:
        return send(response, { status: 404, body: "not found: /livez /healthz /readyz /metrics /version\n" });
    }
  }

  #answerReadiness(response: ServerResponse, verbose: boolean): void {
    const lines: string[] = [];
    let isReady = true;
    for (const check of this.#options.checks) {
      const problem = check.problem();
      if (problem !== undefined) isReady = false;
      lines.push(problem === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: ${problem}`);
    }
    lines.push(isReady ? "readyz check passed" : "readyz check failed");
    send(response, { status: isReady ? 200 : 503, body: isReady && !verbose ? "ok" : `${lines.join("\n")}\n` });
  }
}

function cannotListen(address: string, cause: Error): OperationError {
  const state = (cause as { code?: unknown }).code === "EADDRINUSE" ? "another process listens there" : cause.message;
  return new OperationError("transient", "HEALTH_CANNOT_LISTEN", `Cannot listen on "${address}": ${state}`, { cause });
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

function send(response: ServerResponse, { status, body, contentType = "text/plain; charset=utf-8" }: Answer): void {
  response.writeHead(status, { "content-type": contentType, "x-content-type-options": "nosniff" });
  response.end(body);
}
