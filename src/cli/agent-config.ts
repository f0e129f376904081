import { parseFeatureGates, type ParsedGates } from "../lib/feature-gates.js";
import { parseFlags } from "../lib/flags.js";
import type { ProcessPort } from "../lib/process.js";
import { SHARED_FLAGS } from "./shared-flags.js";

/** Every flag of `podmend agent`. */
export const AGENT_FLAGS = {
  addr: { kind: "string", fallback: ":10221", help: "Where /livez, /readyz, /metrics and /version are served." },
  "socket-file": {
    kind: "string",
    fallback: "",
    help: "The runtime's socket, absolute or below --run-directory; empty: the known places are tried, the first that answers is used.",
  },
  "run-directory": { kind: "string", fallback: "/run", help: "Where the host's /run (or the socket's directory in it) is mounted." },
  "max-workers-for-pull-image": {
    kind: "integer",
    fallback: -1,
    min: -1,
    max: 1024,
    help: "Images pulled at the same time; 0 or less: the default of 5.",
  },
  ...SHARED_FLAGS,
  "plugin-config-file": { kind: "string", fallback: "", help: "As in OpenKruise.", ignored: "credential plug-ins are not implemented yet" },
  "plugin-bin-dir": { kind: "string", fallback: "", help: "As in OpenKruise.", ignored: "credential plug-ins are not implemented yet" },
} as const;

/** The agent's settings, all of them checked. */
export interface AgentConfig {
  readonly nodeName: string;
  readonly flags: ReturnType<typeof parseFlags<typeof AGENT_FLAGS>>["values"];
  readonly gates: ParsedGates;
  readonly ignoredFlags: readonly string[];
}

// It becomes part of selectors.
const NODE_NAME = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;

/** @throws {TypeError} one line that names the flag or variable and the way out */
export function parseAgentConfig({ args, env }: Pick<ProcessPort, "args" | "env">): AgentConfig {
  const { values, ignored } = parseFlags(AGENT_FLAGS, args);
  const gates = parseFeatureGates(values["feature-gates"]);
  const nodeName = env["NODE_NAME"] ?? "";
  if (nodeName === "") {
    throw new TypeError("environment variable NODE_NAME is not set: take it from fieldRef spec.nodeName as daemonset.yaml does");
  }
  if (!NODE_NAME.test(nodeName)) {
    throw new TypeError(
      `environment variable NODE_NAME is "${nodeName}": allowed is a node's name, lower-case letters, digits, "-" and "."`,
    );
  }
  return { nodeName, flags: values, gates, ignoredFlags: ignored };
}
