import type { KubeObject, Resource } from "../../src/api/meta.js";
import type { KubeClient } from "../../src/kube/client.js";
import { createKubeClient } from "../../src/kube/kube-client.js";
import { createNodeWire, type ConnectionTimings } from "../../src/kube/node-http2-wire.js";
import { createInformer, type InformerOptions, type ObservedInformer } from "../../src/kube/reflector.js";
import { systemClock } from "../../src/lib/clock.js";
import { type Logger, silentLogger } from "../../src/lib/logger.js";
import { type Metrics, silentMetrics } from "../../src/lib/metrics.js";
import { systemRandom } from "../../src/lib/random.js";
import type { Task } from "../../src/lib/tasks.js";
import { ApiState, type ApiStateOptions } from "../../src/sim/api-server/api-state.js";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../../src/sim/api-server/api-server.js";

export interface KubeFixtureOptions extends ApiServerOptions {
  /** Default: pods vanish 20 ms after their DELETE, since nobody plays the kubelet. */
  readonly stateOptions?: ApiStateOptions;
  readonly timings?: ConnectionTimings;
  readonly component?: string;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** A model of the API server and a client of it, over real sockets. */
export interface KubeFixture {
  readonly server: ApiServer;
  readonly client: KubeClient;
  readonly logger: Logger;
  /** Aborts when the fixture stops. */
  readonly signal: AbortSignal;
  /** A running informer that has synced. */
  informer<T extends KubeObject>(resource: Resource, options?: Partial<InformerOptions<T>>): Promise<ObservedInformer<T>>;
  /** A running informer that need not have synced yet; register handlers on it at once. */
  startInformer<T extends KubeObject>(resource: Resource, options?: Partial<InformerOptions<T>>): ObservedInformer<T>;
  /** Runs a task, such as a control loop, until the fixture stops. */
  start(task: Task): void;
  /** Ends tasks, client and server. @throws what a task ended with, if it broke */
  stop(): Promise<void>;
}

/** Starts a model of the API server on loopback with a client. Call `stop` in the test's teardown. */
export async function startKubeFixture(options: KubeFixtureOptions = {}): Promise<KubeFixture> {
  const { logger = silentLogger, metrics = silentMetrics, component = "test" } = options;
  const common = { clock: systemClock, random: systemRandom, logger, metrics };
  const state = options.state ?? new ApiState({ podTerminationMs: 20, ...options.stateOptions });
  const server = await startApiServer({ ...options, state });
  const authorization = (): Promise<string | undefined> =>
    Promise.resolve(options.token === undefined ? undefined : `Bearer ${options.token}`);
  const noTls = {};
  const credentials = { authorization, renew: () => undefined, tls: () => Promise.resolve(noTls) };
  const wire = createNodeWire({
    server: server.url,
    credentials,
    clock: systemClock,
    ...(options.timings && { timings: options.timings }),
  });
  const client = createKubeClient({ wire, credentials, component, version: "0.0.0", qps: -1, ...common });
  const stopping = new AbortController();
  const running: Promise<unknown>[] = [];
  const fixture: KubeFixture = {
    server,
    client,
    logger,
    signal: stopping.signal,
    startInformer(resource, informerOptions = {}) {
      const informer = createInformer({ resource, client, ...common, ...informerOptions });
      fixture.start(informer);
      return informer;
    },
    async informer(resource, informerOptions = {}) {
      const informer = fixture.startInformer(resource, informerOptions);
      await informer.waitForSync(stopping.signal);
      return informer;
    },
    start(task) {
      running.push(task.run(stopping.signal).then(undefined, (error: unknown) => (error === stopping.signal.reason ? undefined : error)));
    },
    async stop() {
      stopping.abort(new Error("the test has ended"));
      const failures = (await Promise.all(running)).filter((failure) => failure !== undefined);
      await wire.close();
      await server.stop();
      state.close();
      if (failures.length > 0) throw failures[0];
    },
  };
  return fixture;
}
