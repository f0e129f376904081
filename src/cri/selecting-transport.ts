import type { Clock } from "../lib/clock.js";
import { failureMessage } from "../lib/failure.js";
import type { Logger } from "../lib/logger.js";
import { type CriTransport, GRPC_STATUS, type OpenTransport, type UnaryOptions, WireFailure } from "./wire.js";

/** A runtime that restarts keeps its place that long, so that a node with two runtimes does not flap between them. */
const KEEP_UNAVAILABLE_MS = 30_000;

const CLOSED = new WireFailure(GRPC_STATUS.UNAVAILABLE, "the connection was closed");

/** How a SelectingTransport is made. */
export interface SelectingTransportOptions {
  /** At least one; best first. */
  readonly socketPaths: readonly string[];
  readonly openTransport: OpenTransport;
  /** Resolves if a runtime answers on the transport, soon. */
  readonly probe: (transport: CriTransport, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Selection {
  readonly socketPath: string;
  readonly transport: CriTransport;
  /** Monotonic time of the first of the failures since the last answer. */
  unavailableSinceMs: number | undefined;
}

/**
 * The transport to the first of several sockets that answers, chosen at the first call and again when the chosen one has been
 * gone for 30 s. A socket that is replaced on the same path is simply connected to again.
 *
 * While nothing answers calls fail with UNAVAILABLE, soon, each after one look at every candidate.
 */
export class SelectingTransport implements CriTransport {
  readonly #options: SelectingTransportOptions;
  #selection: Selection | undefined;
  #selecting: Promise<Selection> | undefined;
  readonly #closing = new AbortController();

  constructor(options: SelectingTransportOptions) {
    this.#options = options;
  }

  async unary(path: string, request: Uint8Array, options: UnaryOptions): Promise<Uint8Array> {
    const selection = await this.#select(options.signal);
    try {
      const reply = await selection.transport.unary(path, request, options);
      this.#noteAnswer(selection);
      return reply;
    } catch (error) {
      this.#noteFailure(selection, error);
      throw error;
    }
  }

  async *serverStream(path: string, request: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const selection = await this.#select(signal);
    try {
      for await (const reply of selection.transport.serverStream(path, request, signal)) {
        this.#noteAnswer(selection);
        yield reply;
      }
    } catch (error) {
      this.#noteFailure(selection, error);
      throw error;
    }
  }

  close(): void {
    this.#closing.abort(CLOSED);
    this.#selection?.transport.close();
    this.#selection = undefined;
  }

  async #select(signal: AbortSignal): Promise<Selection> {
    signal.throwIfAborted();
    if (this.#selection !== undefined) return this.#selection;
    this.#selecting ??= this.#findAnswering().finally(() => {
      this.#selecting = undefined;
    });
    return unlessAborted(this.#selecting, signal);
  }

  async #findAnswering(): Promise<Selection> {
    this.#closing.signal.throwIfAborted();
    const { socketPaths } = this.#options;
    const [only] = socketPaths;
    if (only !== undefined && socketPaths.length === 1) return this.#settle(only, this.#options.openTransport(only));
    const failures: string[] = [];
    for (const socketPath of socketPaths) {
      const transport = this.#options.openTransport(socketPath);
      try {
        await this.#options.probe(transport, this.#closing.signal);
        return this.#settle(socketPath, transport);
      } catch (error) {
        transport.close();
        this.#closing.signal.throwIfAborted();
        failures.push(failureMessage(error));
      }
    }
    throw new WireFailure(GRPC_STATUS.UNAVAILABLE, `no runtime answers: ${failures.join("; ")}`);
  }

  #settle(socketPath: string, transport: CriTransport): Selection {
    if (this.#closing.signal.aborted) {
      transport.close();
      throw CLOSED;
    }
    this.#options.logger.info("Runtime socket is chosen", { socketPath });
    this.#selection = { socketPath, transport, unavailableSinceMs: undefined };
    return this.#selection;
  }

  #noteAnswer(selection: Selection): void {
    selection.unavailableSinceMs = undefined;
  }

  #noteFailure(selection: Selection, error: unknown): void {
    // Any other status came from a runtime, or says nothing about it (a deadline).
    if (!(error instanceof WireFailure) || error.status !== GRPC_STATUS.UNAVAILABLE) return;
    const nowMs = this.#options.clock.monotonicMs();
    selection.unavailableSinceMs ??= nowMs;
    const hasOthers = this.#options.socketPaths.length > 1;
    if (!hasOthers || nowMs - selection.unavailableSinceMs < KEEP_UNAVAILABLE_MS || this.#selection !== selection) return;
    this.#options.logger.info("Runtime socket is given up", { socketPath: selection.socketPath });
    selection.transport.close();
    this.#selection = undefined;
  }
}

/** The promise's outcome, or the signal's reason if that comes first; the work behind it goes on for others. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
