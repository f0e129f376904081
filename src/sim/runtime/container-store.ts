import type { Clock } from "../../lib/clock.js";
import type { Random } from "../../lib/random.js";
import { type ContainerProcesses, KILLED, type SimContainer, type SimEvent, type SimEventType, type SimSandbox } from "./entities.js";
import { MODEL_STATUS, ModelFailure } from "./model-failure.js";

const HISTORY_MS = 2_000;
/** What containerd says of a container that ended while it was away itself. */
const LOST = { exitCode: 255, reason: "Unknown" } as const;

export type NewSandbox = Omit<SimSandbox, "id" | "isReady" | "createdAtNs">;
export type NewContainer = Pick<
  SimContainer,
  "sandboxId" | "name" | "attempt" | "image" | "imageRef" | "labels" | "annotations" | "envs" | "imageEnvs" | "program"
>;

/** The sandboxes and containers of one node: what exists, and what may happen to it. Knows nothing of gRPC. */
export class ContainerStore {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #processes: ContainerProcesses | undefined;
  readonly #sandboxes = new Map<string, SimSandbox>();
  readonly #listeners = new Set<(event: SimEvent) => void>();
  #containers: ReadonlyMap<string, SimContainer> = new Map();
  #history: { readonly untilMs: number; readonly containers: ReadonlyMap<string, SimContainer> }[] = [];
  #lastNs = 0n;
  #revision = 0;

  constructor(clock: Clock, random: Random, processes?: ContainerProcesses) {
    this.#clock = clock;
    this.#random = random;
    this.#processes = processes;
  }

  /** Calls `listener` at every change of a container's life; the returned function ends that. */
  watch(listener: (event: SimEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** How many follow the events, for tests to see whether one has come or gone. */
  get watcherCount(): number {
    return this.#listeners.size;
  }

  /** Grows with every change of anything here. */
  get revision(): number {
    return this.#revision;
  }

  sandboxes(): readonly SimSandbox[] {
    return [...this.#sandboxes.values()];
  }

  addSandbox(sandbox: NewSandbox): SimSandbox {
    const added = { ...sandbox, id: this.#random.hex(64), isReady: true, createdAtNs: this.#nowNs() };
    this.#putSandbox(added);
    return added;
  }

  /** Ends its containers; one that is gone counts as stopped. */
  stopSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    for (const container of this.list()) if (container.sandboxId === id) this.exit(container.id, KILLED);
    if (sandbox.isReady) this.#putSandbox({ ...sandbox, isReady: false });
  }

  removeSandbox(id: string): void {
    this.stopSandbox(id);
    for (const container of this.list()) if (container.sandboxId === id) this.remove(container.id);
    if (this.#sandboxes.delete(id)) this.#revision++;
  }

  /** Every container there is, or was so many milliseconds ago. */
  list(agoMs = 0): readonly SimContainer[] {
    const atMs = this.#clock.monotonicMs() - agoMs;
    const past = agoMs > 0 ? this.#history.find(({ untilMs }) => untilMs > atMs) : undefined;
    return [...(past?.containers ?? this.#containers).values()];
  }

  /** @throws {ModelFailure} NOT_FOUND */
  get(id: string): SimContainer {
    const container = this.#containers.get(id);
    if (container === undefined)
      throw new ModelFailure(MODEL_STATUS.NOT_FOUND, `an error occurred when try to find container "${id}": not found`);
    return container;
  }

  has(id: string): boolean {
    return this.#containers.has(id);
  }

  create(container: NewContainer): SimContainer {
    if (!this.#sandboxes.has(container.sandboxId)) {
      throw new ModelFailure(MODEL_STATUS.NOT_FOUND, `failed to find sandbox id "${container.sandboxId}": not found`);
    }
    const never = { startedAtNs: 0n, finishedAtNs: 0n, exitCode: 0, reason: "" };
    const created: SimContainer = {
      ...container,
      ...never,
      id: this.#random.hex(64),
      state: "CONTAINER_CREATED",
      createdAtNs: this.#nowNs(),
    };
    return this.#put(created, "CONTAINER_CREATED_EVENT");
  }

  start(id: string): SimContainer {
    const container = this.get(id);
    if (container.state !== "CONTAINER_CREATED") {
      throw new ModelFailure(
        MODEL_STATUS.UNKNOWN,
        `failed to set starting state for container "${id}": container is in ${container.state} state`,
      );
    }
    const pid = this.#processes?.start(container, (exitCode) => this.exit(id, exitCode));
    const started = {
      ...container,
      ...(pid === undefined ? {} : { pid }),
      state: "CONTAINER_RUNNING",
      startedAtNs: this.#nowNs(),
    } as const;
    const running = this.#put(started, "CONTAINER_STARTED_EVENT");
    const { exitsAfterMs, exitCode = 0 } = container.program;
    if (exitsAfterMs !== undefined) this.#clock.schedule(exitsAfterMs, () => this.exit(id, exitCode));
    return running;
  }

  /** The process ends, by itself or killed. Nothing happens to one that does not run. */
  exit(id: string, exitCode: number): void {
    const container = this.#containers.get(id);
    if (container?.state === "CONTAINER_RUNNING") this.#end(container, { exitCode, reason: exitCode === 0 ? "Completed" : "Error" });
  }

  #end(container: SimContainer, how: { readonly exitCode: number; readonly reason: string }): void {
    this.#processes?.kill(container.id);
    this.#put({ ...container, ...how, state: "CONTAINER_EXITED", finishedAtNs: this.#nowNs() }, "CONTAINER_STOPPED_EVENT");
  }

  /**
   * Asks it to end, waits for the grace period, kills. Resolves when it has ended; no grace means no asking.
   *
   * @throws the signal's reason: it has been asked all the same, but is not killed then
   */
  async stop(id: string, graceMs: number, signal: AbortSignal): Promise<void> {
    if (this.get(id).state !== "CONTAINER_RUNNING") return;
    signal.throwIfAborted();
    if (graceMs > 0) {
      this.#ask(id);
      await this.#ended(id, graceMs, signal);
    }
    this.exit(id, KILLED);
  }

  /** As `stop`, of a process that heeds neither request nor kill: it ends after that time, whether somebody still waits or not. */
  async stopLate(id: string, afterMs: number, signal: AbortSignal): Promise<void> {
    if (this.get(id).state !== "CONTAINER_RUNNING") return;
    signal.throwIfAborted();
    this.#clock.schedule(afterMs, () => this.exit(id, KILLED));
    await this.#ended(id, undefined, signal);
  }

  #ask(id: string): void {
    const { program } = this.get(id);
    if (this.#processes !== undefined) this.#processes.ask(id);
    else if (program.heedsTerm) this.#clock.schedule(program.stopMs, () => this.exit(id, program.termExitCode));
  }

  /** Resolves when the container has ended by itself, or its time is up. */
  #ended(id: string, graceMs: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        unwatch();
        cancel?.();
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const stop = (): void => {
        reject(signal.reason as Error);
        finish();
      };
      const cancel = graceMs === undefined ? undefined : this.#clock.schedule(graceMs, finish);
      const unwatch = this.watch(({ type, container }) => {
        if (container.id === id && type === "CONTAINER_STOPPED_EVENT") finish();
      });
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  /** The machine starts anew: whatever ran has ended, nobody knows how, and no sandbox has its network any more. */
  reboot(): void {
    for (const container of this.list()) if (container.state === "CONTAINER_RUNNING") this.#end(container, LOST);
    for (const sandbox of this.sandboxes()) this.#putSandbox({ ...sandbox, isReady: false });
  }

  /** One that is gone counts as removed; one that runs is killed first. */
  remove(id: string): void {
    this.exit(id, KILLED);
    const container = this.#containers.get(id);
    if (container === undefined) return;
    this.#replace(new Map([...this.#containers].filter(([other]) => other !== id)));
    this.#emit("CONTAINER_DELETED_EVENT", container);
  }

  #putSandbox(sandbox: SimSandbox): void {
    this.#sandboxes.set(sandbox.id, sandbox);
    this.#revision++;
  }

  #put(container: SimContainer, type: SimEventType): SimContainer {
    this.#replace(new Map([...this.#containers, [container.id, container]]));
    this.#emit(type, container);
    return container;
  }

  #replace(containers: ReadonlyMap<string, SimContainer>): void {
    const nowMs = this.#clock.monotonicMs();
    this.#history = this.#history.filter(({ untilMs }) => untilMs > nowMs - HISTORY_MS);
    this.#history.push({ untilMs: nowMs, containers: this.#containers });
    this.#containers = containers;
    this.#revision++;
  }

  #emit(type: SimEventType, container: SimContainer): void {
    const event = { type, container, atNs: this.#nowNs() };
    for (const listener of this.#listeners) listener(event);
  }

  /** Never the same twice, as in life. */
  #nowNs(): bigint {
    const nowNs = BigInt(Math.trunc(this.#clock.nowMs())) * 1_000_000n;
    this.#lastNs = nowNs > this.#lastNs ? nowNs : this.#lastNs + 1n;
    return this.#lastNs;
  }
}
