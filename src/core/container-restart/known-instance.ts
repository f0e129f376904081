import type { ContainerFacts, PodRestartStatus } from "../../api/node-pod-restart.js";
import type { Pod } from "../../api/pod.js";
import { statusOf } from "../in-place-update/pod-facts.js";
import { parseContainerId } from "./container-id.js";

/** The newest instance of a container that anybody has told of. */
export interface KnownInstance {
  readonly containerID: string;
  /** The agent's facts about just this instance, if it has reported it. */
  readonly facts: ContainerFacts | undefined;
}

/**
 * The newest instance of one container, from pod status or from the agent's report, whichever is ahead: the agent sees a new
 * container up to a second before the kubelet posts it, and looks no more once nobody waits.
 */
export function newestKnown(pod: Pod, report: PodRestartStatus | undefined, container: string): KnownInstance | undefined {
  const facts = report?.containers?.find(({ name }) => name === container);
  const posted = postedInstance(pod, container);
  if (facts !== undefined && isReportAhead(facts, posted)) return { containerID: facts.containerID, facts };
  return posted === undefined ? undefined : { containerID: posted.containerID, facts: undefined };
}

interface PostedInstance {
  readonly containerID: string;
  readonly restartCount: number;
}

function postedInstance(pod: Pod, container: string): PostedInstance | undefined {
  const status = statusOf(pod, container);
  const containerID = status?.containerID ?? "";
  return parseContainerId(containerID) === undefined ? undefined : { containerID, restartCount: status?.restartCount ?? 0 };
}

function isReportAhead(facts: ContainerFacts, posted: PostedInstance | undefined): boolean {
  return posted === undefined || facts.containerID === posted.containerID || facts.restartCount > posted.restartCount;
}
