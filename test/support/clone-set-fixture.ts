import type { CloneSet, CloneSetSpec } from "../../src/api/clone-set.js";
import type { KubeObject, Resource } from "../../src/api/meta.js";
import type { Pod, ControllerRevision } from "../../src/api/pod.js";
import { CLONE_SETS, CONTROLLER_REVISIONS, NODE_POD_RESTARTS, PODS } from "../../src/api/resources.js";
import { cloneSetTasks } from "../../src/controller/clone-set/tasks.js";
import { PodActivities } from "../../src/controller/pod-activities.js";
import { type ControllerDependencies, POD_INDEX_OWNER, REVISION_INDEX_OWNER } from "../../src/controller/dependencies.js";
import type { EventFact } from "../../src/kube/event-recorder.js";
import { systemClock } from "../../src/lib/clock.js";
import { silentLogger } from "../../src/lib/logger.js";
import { silentMetrics } from "../../src/lib/metrics.js";
import { systemRandom } from "../../src/lib/random.js";
import { makeCloneSet } from "./clone-set.js";
import { startKubeFixture, type KubeFixture } from "./kube-fixture.js";
import { ModelKubelet, type ModelKubeletOptions } from "./model-kubelet.js";

/** A CloneSet controller with a model API server and a model kubelet. */
export interface CloneSetFixture {
  readonly kube: KubeFixture;
  readonly kubelet: ModelKubelet;
  readonly events: readonly EventFact[];
  create(spec?: Partial<CloneSetSpec>): CloneSet;
  /** Merge patch of the CloneSet's spec. */
  change(spec: unknown): void;
  cloneSet(): CloneSet;
  /** Pods that exist and are not terminating, by name. */
  pods(): readonly Pod[];
  revisions(): readonly ControllerRevision[];
  /** Starts another controller beside the first, as after a change of leader. */
  startController(): Promise<void>;
  stop(): Promise<void>;
}

const NAMESPACE = "shop";

/** Starts everything; call `stop` in the teardown. */
export async function startCloneSetFixture(options: ModelKubeletOptions & { readonly envGate?: boolean } = {}): Promise<CloneSetFixture> {
  const kube = await startKubeFixture();
  const { state } = kube.server;
  const events: EventFact[] = [];
  const kubelet = new ModelKubelet(state, options);
  const seen = await kube.informer<Pod>(PODS);
  seen.onChange(({ after }) => {
    if (after !== undefined) kubelet.sync(after);
  });
  const all = <T extends KubeObject>(resource: Resource): readonly T[] => state.list(resource, NAMESPACE) as unknown as readonly T[];
  const fixture: CloneSetFixture = {
    kube,
    kubelet,
    events,
    create: (spec) => state.create(CLONE_SETS, makeCloneSet(spec), NAMESPACE) as unknown as CloneSet,
    change(spec) {
      state.patch(CLONE_SETS, { namespace: NAMESPACE, name: "web" }, { contentType: "application/merge-patch+json", body: { spec } });
    },
    cloneSet: () => state.get(CLONE_SETS, { namespace: NAMESPACE, name: "web" }) as unknown as CloneSet,
    pods: () =>
      all<Pod>(PODS)
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    revisions: () => [...all<ControllerRevision>(CONTROLLER_REVISIONS)].sort((a, b) => a.revision - b.revision),
    async startController() {
      const deps = dependencies(kube, events, options.envGate ?? true);
      for (const task of cloneSetTasks(deps)) kube.start(task);
      await Promise.all(Object.values(deps.informers).map((informer) => informer.waitForSync(kube.signal)));
    },
    stop: () => kube.stop(),
  };
  await fixture.startController();
  return fixture;
}

function dependencies(kube: KubeFixture, events: EventFact[], envGate: boolean): ControllerDependencies {
  const owner = ({ metadata }: KubeObject): readonly string[] =>
    (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).map(({ uid }) => uid);
  const informers = {
    pods: kube.startInformer<Pod>(PODS, { indexers: { [POD_INDEX_OWNER]: owner } }),
    nodePodRestarts: kube.startInformer(NODE_POD_RESTARTS),
    cloneSets: kube.startInformer<CloneSet>(CLONE_SETS),
    controllerRevisions: kube.startInformer<ControllerRevision>(CONTROLLER_REVISIONS, { indexers: { [REVISION_INDEX_OWNER]: owner } }),
  };
  return {
    activities: new PodActivities(informers.pods, systemClock),
    client: kube.client,
    events: { record: (fact) => void events.push(fact) },
    gates: { isEnabled: (name) => name !== "InPlaceUpdateEnvFromMetadata" || envGate },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    metrics: silentMetrics,
    // The other kinds are not read by the tasks under test.
    informers: informers as unknown as ControllerDependencies["informers"],
  };
}
