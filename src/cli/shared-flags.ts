import { SERVICE_ACCOUNT_DIRECTORY } from "../kube/auth.js";

/** Flags that both processes take. */
export const SHARED_FLAGS = {
  "feature-gates": {
    kind: "string",
    fallback: "",
    help: "Feature gates such as ImagePullJobGate=true,AllBeta=false (docs/feature-gates.md).",
  },
  v: { kind: "integer", fallback: 2, min: 0, max: 10, help: "Log verbosity; from 4 on debug lines are written." },
  "logging-format": { kind: "string", fallback: "json", choices: ["json", "text"], help: "Form of log lines." },
  kubeconfig: { kind: "string", fallback: "", help: "Path of a kubeconfig, to run outside a cluster; empty: the pod's service account." },
  "service-account-directory": {
    kind: "string",
    fallback: SERVICE_ACCOUNT_DIRECTORY,
    help: "Where the pod's service account is mounted: files token and ca.crt.",
  },
  "rest-config-qps": {
    kind: "integer",
    fallback: 0,
    min: -1,
    max: 100_000,
    help: "Requests a second to the API server; 0: 20 for the agent and 200 for the controller, -1: no limit.",
  },
  "rest-config-burst": {
    kind: "integer",
    fallback: 0,
    min: 0,
    max: 100_000,
    help: "Requests at once before the rate counts; 0: 40 for the agent, 400 for the controller.",
  },
  "shutdown-grace-seconds": {
    kind: "integer",
    fallback: 20,
    min: 0,
    max: 3600,
    help: "Time for work in hand after SIGTERM; a second signal ends at once.",
  },
  // What OpenKruise's manifests pass, so that its argument lists can be pasted.
  logtostderr: { kind: "boolean", fallback: true, help: "As in OpenKruise.", ignored: "logs go to standard output" },
  "enable-pprof": { kind: "boolean", fallback: false, help: "As in OpenKruise.", ignored: "there is no Go profile to serve" },
  "pprof-addr": { kind: "string", fallback: "", help: "As in OpenKruise.", ignored: "there is no Go profile to serve" },
  "expectation-timeout": {
    kind: "string",
    fallback: "",
    help: "As in OpenKruise.",
    ignored: "own writes are seen at once, nothing waits for a cache",
  },
} as const;
