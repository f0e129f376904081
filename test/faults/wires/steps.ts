import { IN_PLACE_UPDATE_READY } from "../../../src/api/names.js";

/** A request as far as its step can be told from it. */
export interface RequestFacts {
  readonly component: "agent" | "controller";
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly text: string;
}

const RULES: readonly {
  readonly step: string;
  readonly component?: string;
  readonly method: string;
  readonly path: RegExp;
  readonly text?: RegExp;
}[] = [
  { step: "open-watch", method: "GET", path: /[?&]watch=true/ },
  { step: "list", method: "GET", path: /\/[a-z]+(\?(?!.*watch=true).*)?$/ },
  { step: "renew-lease", method: "PUT", path: /\/leases\// },
  { step: "renew-lease", method: "PATCH", path: /\/leases\// },
  { step: "take-lease", method: "POST", path: /\/leases(\?|$)/ },
  { step: "record-event", method: "POST", path: /\/events(\?|$)/ },
  { step: "record-event", method: "PATCH", path: /\/events\// },
  { step: "create-revision", method: "POST", path: /\/controllerrevisions(\?|$)/ },
  { step: "change-revision", method: "PATCH", path: /\/controllerrevisions\// },
  { step: "delete-revision", method: "DELETE", path: /\/controllerrevisions\// },
  { step: "create-pod", method: "POST", path: /\/pods(\?|$)/ },
  { step: "delete-pod", method: "DELETE", path: /\/pods\// },
  { step: "close-gate", method: "PATCH", path: /\/pods\/[^/]+\/status/, text: gate("False") },
  { step: "open-gate", method: "PATCH", path: /\/pods\/[^/]+\/status/, text: gate("True") },
  { step: "change-pod-status", method: "PATCH", path: /\/pods\/[^/]+\/status/ },
  { step: "change-pod", method: "PATCH", path: /\/pods\// },
  { step: "write-set-status", method: "PATCH", path: /\/clonesets\/[^/]+\/status/ },
  { step: "change-set", method: "PATCH", path: /\/clonesets\// },
  { step: "report-stopping", component: "agent", method: "PATCH", path: /\/nodepodrestarts\/[^/]+\/status/, text: /"phase":"Stopping"/ },
  { step: "report-restart", component: "agent", method: "PATCH", path: /\/nodepodrestarts\/[^/]+\/status/ },
  { step: "create-node-object", method: "POST", path: /\/(nodepodrestarts|nodeimages)(\?|$)/ },
  { step: "request-restart", component: "controller", method: "PATCH", path: /\/nodepodrestarts\// },
  { step: "report-pull", component: "agent", method: "PATCH", path: /\/nodeimages\/[^/]+\/status/ },
  { step: "request-pull", component: "controller", method: "PATCH", path: /\/nodeimages\// },
  { step: "delete-node-object", method: "DELETE", path: /\/(nodepodrestarts|nodeimages)\// },
  { step: "write-job-status", method: "PATCH", path: /\/imagepulljobs\/[^/]+\/status/ },
  { step: "change-job", method: "PATCH", path: /\/imagepulljobs\// },
  { step: "delete-job", method: "DELETE", path: /\/imagepulljobs\// },
  { step: "get", method: "GET", path: /./ },
];

/** The steps that are a write of what an agent has to tell about containers. */
export const REPORT_STEPS: readonly string[] = ["report-stopping", "report-restart"];

/** What step of a flow a request to the API server is. */
export function stepOfRequest({ component, method, path, text }: RequestFacts): string {
  const rule = RULES.find((candidate) => {
    if (candidate.method !== method && !(candidate.method === "PATCH" && method === "PUT")) return false;
    if (candidate.component !== undefined && candidate.component !== component) return false;
    return candidate.path.test(path) && (candidate.text?.test(text) ?? true);
  });
  return rule?.step ?? "other";
}

const CALLS: Readonly<Record<string, string>> = {
  Version: "ask-version",
  ListContainers: "list-containers",
  ContainerStatus: "read-env",
  StopContainer: "stop-container",
  ExecSync: "run-pre-stop",
  ListImages: "list-images",
  ImageStatus: "look-for-image",
  PullImage: "pull-image",
};

/** What step of a flow a call of the runtime is. */
export function stepOfCall(method: string): string {
  return CALLS[method] ?? "other-call";
}

function gate(status: string): RegExp {
  return new RegExp(
    `"type":"${IN_PLACE_UPDATE_READY}"[^}]*"status":"${status}"|"status":"${status}"[^}]*"type":"${IN_PLACE_UPDATE_READY}"`,
  );
}
