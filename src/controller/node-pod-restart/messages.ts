import type { RestartReport } from "../../core/container-restart/reports.js";
import { MAX_ATTEMPTS } from "../../core/container-restart/container-request.js";

/** What a Warning event says about one report. Constant for one cause but for the age, so that events aggregate. */
export function reportMessage(report: RestartReport, nodeName: string): string {
  const detail = report.detail === undefined ? "" : `: ${report.detail}`;
  return `${SENTENCES[report.reason]({
    nodeName,
    container: report.container === undefined ? "" : ` of container "${report.container}"`,
    ageSeconds: Math.round((report.ageMs ?? 0) / 1000),
  })}${detail}`;
}

interface Words {
  readonly nodeName: string;
  readonly container: string;
  readonly ageSeconds: number;
}

const SENTENCES: Readonly<Record<RestartReport["reason"], (words: Words) => string>> = {
  EnvNotApplied: ({ container }) =>
    `${MAX_ATTEMPTS} instances in a row${container} started without the wanted environment; it is not restarted again for this revision`,
  EnvUnreadable: ({ container }) => `Cannot compare the environment${container}`,
  StopFailed: ({ container }) => `Cannot stop the instance${container}`,
  AgentNotResponding: ({ nodeName, ageSeconds }) => `The agent of node "${nodeName}" has not answered for ${ageSeconds} s`,
  WaitingForKubelet: ({ container, ageSeconds }) =>
    `The instance${container} was stopped, and the kubelet has started no other for ${ageSeconds} s`,
  TooManyRequests: ({ nodeName, container }) =>
    `The restart${container} waits: the requests to node "${nodeName}" have reached their limit`,
  RequestRefused: ({ nodeName, container }) => `The agent of node "${nodeName}" refuses the restart${container}`,
};
