import type { Mutant } from "./mutant.js";

/** Ways to break the controller. */
export const CONTROLLER_MUTANTS: readonly Mutant[] = [
  {
    name: "ignores-max-unavailable",
    breaks: "pods are picked within maxUnavailable",
    changes: [
      {
        file: "src/core/clone-set/decide-updates.ts",
        find: "if (chosen.length >= wanted || starting + leaving + chosen.length >= slots) break;",
        replace: "if (chosen.length >= wanted) break;\n    budget = 1;",
      },
    ],
  },
  {
    name: "flips-early-while-ready",
    breaks: "the condition flips on the agent's report only while the pod version being patched has Ready=False",
    changes: [
      {
        file: "src/core/in-place-update/completion.ts",
        find: "if (verdict.early && !isOutOfService(view.pod)) {",
        replace: "if (verdict.early && view.pod.spec === undefined) {",
      },
    ],
  },
  {
    name: "believes-older-reports",
    breaks: "completion is decided from container facts of the newest instance only",
    changes: [
      {
        file: "src/core/in-place-update/evidence.ts",
        find: "reported !== undefined && reported.restartCount > status.restartCount",
        replace: "reported !== undefined",
      },
    ],
  },
  {
    name: "believes-any-newer-instance",
    breaks: "completion needs the wanted environment, also of an instance that only the agent has seen",
    changes: [
      {
        file: "src/core/in-place-update/verdict.ts",
        find: "return evidence.envHash === expected ? undefined :",
        replace: `return evidence.envHash === expected || evidence.instance === "newer" ? undefined :`,
      },
    ],
  },
  {
    name: "restarts-for-ever",
    breaks: "each attempt names another instance, so their number bounds the restarts of one revision",
    changes: [
      {
        file: "src/core/container-restart/container-request.ts",
        find: "if (attempt >= MAX_ATTEMPTS) return",
        replace: "if (attempt >= 1_000_000) return",
      },
      {
        file: "src/core/container-restart/container-request.ts",
        find: "FIRST_RETRY_MS * 2 ** (attempt - 1)",
        replace: "FIRST_RETRY_MS",
      },
      {
        // So that no environment will do but the first.
        file: "src/core/values/env-from-metadata.ts",
        find: `value: own(metadata[source], key) ?? ""`,
        replace: `value: /-0$/.exec(own(metadata[source], key) ?? "")?.input ?? "no such value"`,
      },
    ],
  },
  {
    name: "recreates-instead",
    breaks: "a change that can be made in place keeps the pod",
    changes: [
      {
        file: "src/controller/clone-set/update-pods.ts",
        find: `if (!policy(pass).startsWith("InPlace")) return`,
        replace: `if (pod.metadata.annotations?.["example.com/seen-by"] !== undefined || !policy(pass).startsWith("InPlace")) return`,
      },
    ],
  },
  {
    name: "asks-once-only",
    breaks: "an instance that the kubelet started with the old env gets a new request",
    changes: [{ file: "src/core/container-restart/container-request.ts", find: "MAX_ATTEMPTS = 3", replace: "MAX_ATTEMPTS = 1" }],
  },
  {
    name: "keeps-spent-ids",
    breaks: "request ids never recur: each instance has its own",
    changes: [
      {
        file: "src/core/container-restart/container-request.ts",
        find: "instanceId: bareId(situation), attempt, generation }",
        replace: `instanceId: "x", attempt: 1, generation: 1 }`,
      },
    ],
  },
  {
    name: "never-withdraws",
    breaks: "a stop that nobody wants any more is withdrawn before the agent carries it out",
    changes: [
      {
        file: "src/core/container-restart/requests.ts",
        find: "isMissing(wanted, held) || mustWithdraw(wanted, situation) ||",
        replace: "isMissing(wanted, held) ||",
      },
      {
        // What is asked anew must not take it along either.
        file: "src/core/container-restart/requests.ts",
        find: "  return { namespace, name, uid, requests };",
        replace:
          "  return { namespace, name, uid, requests: [...requests, ...heldRequests.filter(({ id }) => requests.every((request) => request.id !== id))] };",
      },
    ],
  },
  {
    name: "drops-foreign-annotations",
    breaks: "no foreign field is lost",
    changes: [
      {
        file: "src/controller/clone-set/pod-writes.ts",
        find: "const body = { metadata: { resourceVersion: pod.metadata.resourceVersion, ...metadata } };",
        replace:
          "const body = { metadata: { resourceVersion: pod.metadata.resourceVersion, ...metadata, annotations: { 'example.com/seen-by': null } } };",
      },
    ],
  },
  {
    name: "opens-gate-before-metadata",
    breaks: "the status is written first: a pod must not take traffic while its containers restart",
    changes: [
      {
        file: "src/controller/clone-set/pod-writes.ts",
        find: "if (statusPatch !== undefined) {",
        replace: `if (statusPatch !== undefined && !JSON.stringify(statusPatch).includes('"False"')) {`,
      },
    ],
  },
  {
    name: "tells-values",
    breaks: "no env value is in logs, events or status",
    changes: [
      {
        file: "src/controller/clone-set/update-pods.ts",
        find: `pass.logger.info("Pod update starts in place", { pod: pod.metadata.name,`,
        replace: `pass.logger.info("Pod update starts in place", { pod: pod.metadata.name, annotations: pod.metadata.annotations,`,
      },
    ],
  },
  {
    name: "trusts-a-node-clock",
    breaks: "identity, never clocks: a node whose clock is ahead holds nothing up",
    changes: [
      {
        file: "src/core/clone-set/observed-pod.ts",
        find: "Math.max(0, measure.nowMs - (readySinceMs ?? 0))",
        replace: "measure.nowMs - (readySinceMs ?? 0)",
      },
    ],
  },
];
