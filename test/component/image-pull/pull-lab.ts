import { imagePullTasks } from "../../../src/agent/image-pull/tasks.js";
import type { AgentDependencies } from "../../../src/agent/dependencies.js";
import type { ImagePullJob, ImagePullJobSpec } from "../../../src/api/image-pull-job.js";
import type { KubeObject, Resource } from "../../../src/api/meta.js";
import type { NodeImage } from "../../../src/api/node-image.js";
import type { Node, Pod } from "../../../src/api/pod.js";
import { IMAGE_PULL_JOBS, NODE_IMAGES, NODES, PODS } from "../../../src/api/resources.js";
import type { ControllerDependencies } from "../../../src/controller/dependencies.js";
import { PodActivities } from "../../../src/controller/pod-activities.js";
import { imagePullJobTasks } from "../../../src/controller/image-pull-job/tasks.js";
import { nodeImageIndexers } from "../../../src/controller/node-image/indexers.js";
import { nodeImageTasks } from "../../../src/controller/node-image/tasks.js";
import type { EventFact } from "../../../src/kube/event-recorder.js";
import type { Informer } from "../../../src/kube/informer.js";
import { createInformer, type InformerOptions } from "../../../src/kube/reflector.js";
import { systemClock } from "../../../src/lib/clock.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { silentMetrics } from "../../../src/lib/metrics.js";
import { systemRandom } from "../../../src/lib/random.js";
import { runAll, type Task } from "../../../src/lib/tasks.js";
import { type CriFixture, startCriFixture } from "../../support/cri-fixture.js";
import { type KubeFixture, startKubeFixture } from "../../support/kube-fixture.js";

/** A process of ours; `stop` ends it as a SIGTERM would. */
export interface Running {
  stop(): Promise<void>;
}

const NAMESPACE = "shop";
const COMMON = { clock: systemClock, random: systemRandom, logger: silentLogger, metrics: silentMetrics };

/** Our controller and agents around a model of the API server and one model runtime per node. */
export class PullLab {
  readonly kube: KubeFixture;
  readonly events: EventFact[] = [];
  readonly #runtimes = new Map<string, CriFixture>();
  readonly #running = new Set<Running>();

  private constructor(kube: KubeFixture) {
    this.kube = kube;
  }

  static async start(): Promise<PullLab> {
    return new PullLab(await startKubeFixture());
  }

  async addNode(name: string, labels: Record<string, string> = {}): Promise<CriFixture> {
    const runtime = await startCriFixture();
    this.#runtimes.set(name, runtime);
    this.kube.server.state.create(NODES, { metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } } });
    return runtime;
  }

  runtime(name: string): CriFixture {
    const runtime = this.#runtimes.get(name);
    if (runtime === undefined) throw new Error(`no node "${name}"`);
    return runtime;
  }

  startAgent(nodeName: string, maxParallelPulls?: number): Running {
    const { runtime, images } = this.runtime(nodeName);
    const nodeImages = this.#informer<NodeImage>(NODE_IMAGES, { list: { fieldSelector: `metadata.name=${nodeName}` } });
    const informers = { nodeImages } as unknown as AgentDependencies["informers"];
    const deps = { ...this.#common(), nodeName, runtime, images, informers, ...(maxParallelPulls !== undefined && { maxParallelPulls }) };
    return this.#run([nodeImages, ...imagePullTasks(deps)]);
  }

  startController(): Running {
    const informers = {
      pods: this.#informer<Pod>(PODS),
      nodes: this.#informer<Node>(NODES),
      nodeImages: this.#informer<NodeImage>(NODE_IMAGES, { indexers: nodeImageIndexers }),
      imagePullJobs: this.#informer<ImagePullJob>(IMAGE_PULL_JOBS),
    };
    const common = this.#common();
    const activities = new PodActivities(informers.pods, common.clock);
    const deps = { ...common, activities, informers: informers as unknown as ControllerDependencies["informers"] };
    return this.#run([...Object.values(informers), ...nodeImageTasks(deps), ...imagePullJobTasks(deps)]);
  }

  createJob(name: string, spec: Omit<ImagePullJobSpec, "completionPolicy"> & Partial<ImagePullJobSpec>): void {
    const job = {
      apiVersion: "apps.kruise.io/v1beta1",
      kind: "ImagePullJob",
      metadata: { name },
      spec: { completionPolicy: { type: "Always" }, ...spec },
    };
    this.kube.server.state.create(IMAGE_PULL_JOBS, job, NAMESPACE);
  }

  job(name: string): ImagePullJob {
    return this.kube.server.state.get(IMAGE_PULL_JOBS, { namespace: NAMESPACE, name }) as unknown as ImagePullJob;
  }

  jobs(): readonly ImagePullJob[] {
    return this.kube.server.state.list(IMAGE_PULL_JOBS, NAMESPACE) as unknown as readonly ImagePullJob[];
  }

  nodeImage(name: string): NodeImage {
    return this.kube.server.state.get(NODE_IMAGES, { name }) as unknown as NodeImage;
  }

  nodeImages(): readonly NodeImage[] {
    return this.kube.server.state.list(NODE_IMAGES) as unknown as readonly NodeImage[];
  }

  /** Requests that write, as "METHOD path". */
  writes(path: RegExp): readonly string[] {
    const seen = this.kube.server.requests.filter((request) => request.method !== "GET" && path.test(request.path));
    return seen.map((request) => `${request.method} ${request.path.split("?")[0] ?? ""}`);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.stop()));
    for (const runtime of this.#runtimes.values()) runtime.close();
    await this.kube.stop();
  }

  #common() {
    const events = { record: (fact: EventFact) => void this.events.push(fact) };
    return { ...COMMON, client: this.kube.client, events, gates: { isEnabled: () => true } };
  }

  #informer<T extends KubeObject>(resource: Resource, options: Partial<InformerOptions<T>> = {}): Informer<T> {
    return createInformer<T>({ resource, client: this.kube.client, ...COMMON, ...options });
  }

  #run(tasks: readonly Task[]): Running {
    const abort = new AbortController();
    const ended = runAll(tasks, abort.signal);
    const running: Running = {
      stop: async () => {
        this.#running.delete(running);
        abort.abort(new Error("asked to stop"));
        await ended;
      },
    };
    ended.catch(() => undefined);
    this.#running.add(running);
    return running;
  }
}
