import { parseFeatureGates, type ParsedGates } from "../lib/feature-gates.js";
import { parseFlags } from "../lib/flags.js";
import type { ProcessPort } from "../lib/process.js";
import { SHARED_FLAGS } from "./shared-flags.js";

const workers = (what: string) =>
  ({ kind: "integer", fallback: 3, min: 1, max: 100, help: `${what} reconciled at the same time.` }) as const;

/** Every flag of `podmend controller`. */
export const CONTROLLER_FLAGS = {
  addr: { kind: "string", fallback: ":8080", help: "Where /livez, /readyz, /metrics and /version are served." },
  "enable-leader-election": { kind: "boolean", fallback: true, help: "Work only while holding the Lease podmend-controller." },
  "leader-election-namespace": { kind: "string", fallback: "", help: "Namespace of the Lease; empty: POD_NAMESPACE, else podmend-system." },
  "cloneset-workers": workers("CloneSets"),
  "imagepulljob-workers": workers("ImagePullJobs"),
  "nodeimage-workers": workers("Nodes (for their NodeImage)"),
  ...SHARED_FLAGS,
  "metrics-addr": { kind: "string", fallback: "", help: "As in OpenKruise.", ignored: "metrics are served at --addr" },
  "health-probe-addr": { kind: "string", fallback: "", help: "As in OpenKruise.", ignored: "probes are served at --addr" },
  "sync-period": { kind: "string", fallback: "", help: "As in OpenKruise.", ignored: "nothing needs a periodic resync" },
  "nodeimage-creation-delay": { kind: "string", fallback: "", help: "As in OpenKruise.", ignored: "a NodeImage follows its node at once" },
} as const;

/** The controller's settings, all of them checked. */
export interface ControllerConfig {
  /** Who we are among the controllers that want to lead. */
  readonly identity: string;
  readonly namespace: string;
  readonly flags: ReturnType<typeof parseFlags<typeof CONTROLLER_FLAGS>>["values"];
  readonly gates: ParsedGates;
  readonly ignoredFlags: readonly string[];
}

/** @throws {TypeError} one line that names the flag and the way out */
export function parseControllerConfig({ args, env, pid }: Pick<ProcessPort, "args" | "env" | "pid">): ControllerConfig {
  const { values, ignored } = parseFlags(CONTROLLER_FLAGS, args);
  const gates = parseFeatureGates(values["feature-gates"]);
  const namespace = values["leader-election-namespace"] || env["POD_NAMESPACE"] || "podmend-system";
  const identity = `${env["POD_NAME"] ?? env["HOSTNAME"] ?? "podmend"}_${pid}`;
  return { identity, namespace, flags: values, gates, ignoredFlags: ignored };
}
