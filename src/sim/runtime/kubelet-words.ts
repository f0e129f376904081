/** A pod as far as the runtime hears of it. */
export interface SimPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly terminationGracePeriodSeconds?: number;
}

/** What the kubelet writes about one container beside what the user did. */
export interface KubeletContainer {
  readonly name: string;
  readonly restartCount?: number;
  /** Hexadecimal, of the container's spec. */
  readonly hash?: string;
  /** A LifecycleHandler. */
  readonly preStop?: object;
}

/** The labels of a pod's sandbox. */
export function sandboxLabels({ namespace, name, uid }: SimPod): Readonly<Record<string, string>> {
  return { "io.kubernetes.pod.name": name, "io.kubernetes.pod.namespace": namespace, "io.kubernetes.pod.uid": uid };
}

/** The labels of one of its containers. */
export function containerLabels(pod: SimPod, { name }: KubeletContainer): Readonly<Record<string, string>> {
  return { ...sandboxLabels(pod), "io.kubernetes.container.name": name };
}

/** The annotations of one of its containers. Source: spec/node-agent.md section 1.6 */
export function containerAnnotations(pod: SimPod, container: KubeletContainer): Readonly<Record<string, string>> {
  return {
    "io.kubernetes.container.hash": container.hash ?? "5f3c1a2b",
    "io.kubernetes.container.restartCount": String(container.restartCount ?? 0),
    "io.kubernetes.container.terminationMessagePath": "/dev/termination-log",
    "io.kubernetes.container.terminationMessagePolicy": "File",
    "io.kubernetes.pod.terminationGracePeriod": String(pod.terminationGracePeriodSeconds ?? 30),
    ...(container.preStop === undefined ? {} : { "io.kubernetes.container.preStopHandler": JSON.stringify(container.preStop) }),
  };
}
