import type { ParsedGates } from "../lib/feature-gates.js";
import type { Logger } from "../lib/logger.js";
import type { ProcessPort } from "../lib/process.js";
import { createHealthServer, parseListenAddress, type HealthServer, type ReadinessCheck } from "../observe/health-server.js";
import { createLogger } from "../observe/logger.js";
import { createMetrics, type MetricsRegistry } from "../observe/metrics.js";
import { VERSION } from "./version.js";

/** What both processes have before they know what they do. */
export interface ProcessBasics {
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

export interface BasicsOptions {
  readonly component: "agent" | "controller";
  /** Added to each log line. */
  readonly node?: string;
  readonly flags: { readonly v: number; readonly "logging-format": string; readonly addr: string };
  readonly gates: ParsedGates;
  readonly ignoredFlags: readonly string[];
  readonly process: Pick<ProcessPort, "nodeVersion" | "onUncaught">;
}

/** Makes logger and metrics, and tells the operator what of the command line has no effect. @throws {TypeError} for a bad --addr */
export function startBasics(options: BasicsOptions): ProcessBasics {
  const { component, flags, gates, ignoredFlags, node, process } = options;
  const { nodeVersion } = process;
  parseListenAddress(flags.addr);
  const fields = { component, version: VERSION, ...(node === undefined ? {} : { node }) };
  const logger = createLogger({ verbosity: flags.v, format: flags["logging-format"] === "text" ? "text" : "json", fields });
  process.onUncaught((failure) => logger.error("Process breaks", { failure }));
  logger.info("Process starts", { nodeVersion });
  if (ignoredFlags.length > 0) logger.info("Some flags have no effect", { flags: ignoredFlags });
  if (gates.withoutEffect.length > 0) logger.warn("Some feature gates have no effect yet", { gates: gates.withoutEffect });
  if (gates.forcedOff.length > 0) logger.warn("Some feature gates are off because another one is", { gates: gates.forcedOff });
  return { logger, metrics: createMetrics({ version: VERSION, nodeVersion, component }) };
}

/** Starts the health server: alive at once, ready when all checks say so. */
export async function startHealthServer(address: string, checks: readonly ReadinessCheck[], basics: ProcessBasics): Promise<HealthServer> {
  const server = createHealthServer({ address, checks, metrics: basics.metrics, version: VERSION, logger: basics.logger });
  await server.start();
  return server;
}
