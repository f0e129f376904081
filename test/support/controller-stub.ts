import type { ControllerDependencies } from "../../src/controller/dependencies.js";
import type { KubeObject } from "../../src/api/meta.js";
import type { EventFact } from "../../src/kube/event-recorder.js";
import type { Informer } from "../../src/kube/informer.js";
import type { StoreChange } from "../../src/kube/store.js";
import { silentLogger } from "../../src/lib/logger.js";
import { silentMetrics } from "../../src/lib/metrics.js";
import { FakeClock } from "./fake-clock.js";

/** A cache that a test fills by hand. */
export interface StubInformer<T extends KubeObject> extends Informer<T> {
  /** Puts an object in and tells the handlers. */
  set(object: T): void;
}

export function createStubInformer<T extends KubeObject>(): StubInformer<T> {
  const objects = new Map<string, T>();
  const handlers: ((change: StoreChange<T>) => void)[] = [];
  const keyOf = ({ metadata }: T): string => (metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`);
  const set = (after: T): void => {
    const before = objects.get(keyOf(after));
    objects.set(keyOf(after), after);
    const change = { key: keyOf(after), after, ...(before === undefined ? {} : { before }) };
    for (const handler of handlers) handler(change);
  };
  return {
    name: "stub",
    store: {
      get: (key) => objects.get(key),
      list: () => [...objects.values()],
      byIndex: () => [...objects.values()],
      hasSynced: () => true,
    },
    set,
    applyWrite: set,
    applyMissing: (object) => void objects.delete(keyOf(object)),
    onChange: (handler) => void handlers.push(handler),
    isFollowing: () => true,
    waitForSync: () => Promise.resolve(),
    run: () => Promise.resolve(),
  };
}

/** Dependencies of a controller for tests that touch only what they hand over. */
export function stubDependencies(informers: Partial<ControllerDependencies["informers"]> = {}): {
  readonly deps: ControllerDependencies;
  readonly clock: FakeClock;
  readonly events: EventFact[];
} {
  const clock = new FakeClock();
  const events: EventFact[] = [];
  const deps = {
    activities: { stopNotBeforeMs: () => undefined, settlesInMs: () => 0 },
    clock,
    events: { record: (fact: EventFact) => void events.push(fact) },
    random: { next: () => 0, hex: (length: number) => "0".repeat(length) },
    gates: { isEnabled: () => true },
    logger: silentLogger,
    metrics: silentMetrics,
    informers,
  };
  return { deps: deps as unknown as ControllerDependencies, clock, events };
}
