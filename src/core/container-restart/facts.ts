import type { ContainerFacts } from "../../api/node-pod-restart.js";
import { formatContainerId } from "./container-id.js";
import { type ContainerInstance, newestInstances } from "./instance.js";

/** What facts are made of, beside the instances themselves. */
export interface FactsSource {
  readonly runtimeName: string;
  readonly instances: readonly ContainerInstance[];
  /** The hash of the live env under the names that some request of the pod gave for this container, if known. */
  readonly envHashOf: (instance: ContainerInstance) => number | undefined;
}

/** What the agent reports about a pod: the newest instance of each container, by name. Never env values. */
export function containerFacts({ runtimeName, instances, envHashOf }: FactsSource): readonly ContainerFacts[] {
  return [...newestInstances(instances).values()]
    .map((instance) => factsOf(instance, runtimeName, envHashOf(instance)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function factsOf(instance: ContainerInstance, runtimeName: string, envHash: number | undefined): ContainerFacts {
  return {
    name: instance.container,
    containerID: formatContainerId({ runtimeName, id: instance.id }),
    restartCount: instance.restartCount,
    state: instance.state,
    ...(instance.plainHash === undefined ? {} : { plainHash: instance.plainHash }),
    ...(envHash === undefined ? {} : { envHash }),
  };
}
