import type { ContainerStore } from "../runtime/container-store.js";
import type { SimContainer } from "../runtime/entities.js";

const NAME_LABEL = "io.kubernetes.container.name";
const UID_LABEL = "io.kubernetes.pod.uid";

/** Removes what the kubelet does not keep of a pod: of each container all dead instances but the newest, and old sandboxes that are empty. */
export function collectGarbage(store: ContainerStore, uid: string): void {
  const own = store.list().filter(({ labels }) => labels[UID_LABEL] === uid);
  const kept = new Set<string>();
  for (const { id, labels } of own.filter(isDead).sort(newestFirst)) {
    const name = labels[NAME_LABEL] ?? "";
    if (kept.has(name)) store.remove(id);
    else kept.add(name);
  }
  removeEmptySandboxes(store, uid);
}

function removeEmptySandboxes(store: ContainerStore, uid: string): void {
  const [, ...older] = store
    .sandboxes()
    .filter((sandbox) => sandbox.uid === uid)
    .sort(newestFirst);
  if (older.length === 0) return;
  const used = new Set(store.list().map(({ sandboxId }) => sandboxId));
  for (const { id, isReady } of older) if (!isReady && !used.has(id)) store.removeSandbox(id);
}

function isDead({ state }: SimContainer): boolean {
  return state === "CONTAINER_EXITED";
}

function newestFirst(a: { readonly createdAtNs: bigint }, b: { readonly createdAtNs: bigint }): number {
  return a.createdAtNs < b.createdAtNs ? 1 : -1;
}
