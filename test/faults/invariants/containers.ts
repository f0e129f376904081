import type { Entry } from "../journal.js";
import type { SimContainer } from "../../../src/sim/runtime/entities.js";

/** What a journal tells about one container instance so far. */
export interface Instance {
  readonly node: string;
  readonly container: SimContainer;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
}

/** All instances of all nodes, by id, as far as a journal was read. */
export class Instances {
  readonly #byId = new Map<string, Instance>();

  add(entry: Entry): void {
    if (entry.type !== "container") return;
    const { node, container, change, atMs } = entry;
    const before = this.#byId.get(container.id);
    this.#byId.set(container.id, {
      node,
      container,
      startedAtMs: change === "started" ? atMs : before?.startedAtMs,
      endedAtMs: before?.endedAtMs ?? (change === "ended" || change === "removed" ? atMs : undefined),
    });
  }

  get(id: string): Instance | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<Instance> {
    return this.#byId.values();
  }
}

export function podUidOf({ labels }: SimContainer): string {
  return labels["io.kubernetes.pod.uid"] ?? "";
}

/** The value of the variable that the flows' workload takes from an annotation. */
export function configOf({ envs }: SimContainer): string | undefined {
  return envs.find(({ key }) => key === "CONFIG")?.value;
}
