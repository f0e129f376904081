import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";
import { abortable } from "./abortable.js";
import type { CancelTimer, Clock } from "../lib/clock.js";
import type { ServerAccess, TlsMaterial } from "./credentials.js";
import { WireError, type Wire, type WireRequest, type WireResponse } from "./wire.js";

/** How connections are kept. A connection that went silent is found after at most `pingAfterMs + pingTimeoutMs`. */
export interface ConnectionTimings {
  /** How long nothing may arrive before we ask whether the other side still lives. */
  readonly pingAfterMs: number;
  /** How long it may take to answer. */
  readonly pingTimeoutMs: number;
  /** How long connecting, with the TLS handshake and the first SETTINGS frame, may take. */
  readonly connectTimeoutMs: number;
}

export interface NodeWireOptions extends ServerAccess {
  readonly clock: Clock;
  /** Default: 12 s, 6 s and 10 s. */
  readonly timings?: ConnectionTimings;
}

const DEFAULT_TIMINGS: ConnectionTimings = { pingAfterMs: 12_000, pingTimeoutMs: 6_000, connectTimeoutMs: 10_000 };

/** The default of 64 KiB for all streams together would make a watch of thousands of pods wait for our acknowledgements. */
const STREAM_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 4 * 1024 * 1024;

/** A server that allows very few streams makes us open more connections, but never more than this. */
const MAX_CONNECTIONS = 8;

/**
 * The wire on Node's own HTTP/2: one connection, made when first needed, for all requests and watches.
 *
 * A connection is retired, which means that it takes no new requests and ends with its last stream, when the server sends GOAWAY or when
 * the certificates changed. Another one is added while all streams that the server allows are taken.
 */
export function createNodeWire(options: NodeWireOptions): Wire {
  return new NodeWire(options);
}

class NodeWire implements Wire {
  readonly #options: NodeWireOptions;
  readonly #timings: ConnectionTimings;
  readonly #server: URL;
  readonly #connections = new Set<Connection>();
  #opening: Promise<Connection> | undefined;
  #isClosed = false;

  constructor(options: NodeWireOptions) {
    this.#options = options;
    this.#timings = options.timings ?? DEFAULT_TIMINGS;
    this.#server = new URL(options.server);
  }

  async send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    signal.throwIfAborted();
    const connection = await abortable(this.#connection(), signal);
    return connection.send({ ...request, path: this.#server.pathname.replace(/\/$/, "") + request.path }, signal);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  async #connection(): Promise<Connection> {
    const material = await this.#options.credentials.tls();
    for (const connection of this.#connections) if (connection.material !== material) connection.retire();
    const usable = [...this.#connections].filter((connection) => connection.isUsable());
    const free = usable.find((connection) => connection.hasFreeStream());
    if (free !== undefined) return free;
    // With all connections full, the request waits inside one of them for a stream to end.
    if (usable.length >= MAX_CONNECTIONS && usable[0] !== undefined) return usable[0];
    this.#opening ??= this.#open(material).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(material: TlsMaterial): Promise<Connection> {
    if (this.#isClosed) throw new WireError("unreachable", "the client is closed");
    const session = await openSession(this.#server, { material, clock: this.#options.clock, timeoutMs: this.#timings.connectTimeoutMs });
    const connection = new Connection(session, { material, clock: this.#options.clock, timings: this.#timings });
    this.#connections.add(connection);
    session.once("close", () => this.#connections.delete(connection));
    return connection;
  }
}

interface ConnectionOptions {
  readonly material: TlsMaterial;
  readonly clock: Clock;
  readonly timings: ConnectionTimings;
}

/** One HTTP/2 session and its liveness. States: usable -> retired (GOAWAY, new certificates) -> closed; any -> closed when it breaks. */
class Connection {
  readonly material: TlsMaterial;
  readonly #session: http2.ClientHttp2Session;
  readonly #clock: Clock;
  readonly #timings: ConnectionTimings;
  #streams = 0;
  #isRetired = false;
  #lastHeardMs: number;
  #cancelTimer: CancelTimer;
  /** Why the session broke, for the streams that break with it. */
  #failure: Error | undefined;

  constructor(session: http2.ClientHttp2Session, options: ConnectionOptions) {
    this.material = options.material;
    this.#session = session;
    this.#clock = options.clock;
    this.#timings = options.timings;
    this.#lastHeardMs = this.#clock.monotonicMs();
    this.#cancelTimer = this.#clock.schedule(this.#timings.pingAfterMs, () => this.#checkSilence());
    session.on("error", (error: Error) => {
      this.#failure ??= error;
    });
    session.once("close", () => this.#cancelTimer());
  }

  /** A session is "closed" from the moment of a GOAWAY on, although its streams go on. */
  isUsable(): boolean {
    return !this.#isRetired && !this.#session.closed && !this.#session.destroyed;
  }

  hasFreeStream(): boolean {
    return this.#streams < (this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY);
  }

  retire(): void {
    this.#isRetired = true;
    if (!this.#session.closed) this.#session.close(); // lets open streams finish
  }

  close(): Promise<void> {
    if (this.#session.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#session.once("close", resolve);
      this.#session.destroy();
    });
  }

  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const stream = this.#openStream(request);
    this.#streams++;
    stream.once("close", () => {
      this.#streams--;
    });
    const failure = (): Error => this.#streamFailure(stream);
    const heard = (): void => {
      this.#lastHeardMs = this.#clock.monotonicMs();
    };
    const stop = (): void => void stream.close(http2.constants.NGHTTP2_CANCEL);
    const letBe = (): void => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop, { once: true });
    stream.once("close", letBe);
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      stream.on("error", () => undefined); // "close" follows, and reports it once
      stream.once("close", () => {
        // Every stream closes, and making an error costs: only for one that nobody has told of yet.
        if (!isAnswered) reject(signal.aborted ? (signal.reason as Error) : failure());
      });
      stream.once("response", (headers) => {
        isAnswered = true;
        heard();
        resolve({
          status: headers[":status"] ?? 0,
          headers: plainHeaders(headers),
          body: readBody(stream, { signal, heard, letBe, failure }),
        });
      });
      stream.end(request.body);
    });
  }

  #openStream(request: WireRequest): http2.ClientHttp2Stream {
    try {
      return this.#session.request({ ":method": request.method, ":path": request.path, ...request.headers }, { endStream: false });
    } catch (error) {
      throw new WireError("refused", "the connection closed before the request was sent", { cause: error });
    }
  }

  #streamFailure(stream: http2.ClientHttp2Stream): WireError {
    if (stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM) return new WireError("refused", "the server refused the stream");
    const cause = this.#failure;
    const state = cause === undefined ? `the stream was closed (code ${String(stream.rstCode)})` : `the connection broke: ${cause.message}`;
    return new WireError("broken", state, { cause });
  }

  /** Any byte that a stream or a ping brought counts as a sign of life. */
  #checkSilence(): void {
    const silentMs = this.#clock.monotonicMs() - this.#lastHeardMs;
    if (silentMs < this.#timings.pingAfterMs) this.#checkIn(this.#timings.pingAfterMs - silentMs);
    else this.#ping();
  }

  #ping(): void {
    this.#cancelTimer = this.#clock.schedule(this.#timings.pingTimeoutMs, () => {
      this.#failure ??= new Error(`no answer to a ping in ${this.#timings.pingTimeoutMs} ms`);
      this.#session.destroy(this.#failure);
    });
    if (this.#session.destroyed) return;
    this.#session.ping((error) => {
      if (error !== null) return; // the session is closing; its streams report why
      this.#cancelTimer();
      this.#lastHeardMs = this.#clock.monotonicMs();
      this.#checkIn(this.#timings.pingAfterMs);
    });
  }

  #checkIn(delayMs: number): void {
    if (!this.#session.destroyed) this.#cancelTimer = this.#clock.schedule(delayMs, () => this.#checkSilence());
  }
}

interface BodyOptions {
  readonly signal: AbortSignal;
  readonly heard: () => void;
  /** Makes the signal's abort mean nothing any more: servers count resets of streams that are over, and hang up on many. */
  readonly letBe: () => void;
  readonly failure: () => Error;
}

async function* readBody(stream: http2.ClientHttp2Stream, options: BodyOptions): AsyncGenerator<Uint8Array> {
  const { signal, heard, letBe, failure } = options;
  let isComplete = false;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      heard();
      yield chunk;
    }
    // Node ends a stream whose connection was lost as if it were complete; only the code tells.
    isComplete = stream.rstCode === http2.constants.NGHTTP2_NO_ERROR;
  } catch {
    // told below, with the reason that the session knows
  } finally {
    if (isComplete) letBe();
    else stream.close(http2.constants.NGHTTP2_CANCEL);
  }
  signal.throwIfAborted();
  if (!isComplete) throw failure();
}

interface OpenOptions {
  readonly material: TlsMaterial;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Resolves when the server's first SETTINGS frame has told how many streams it allows. */
function openSession(server: URL, options: OpenOptions): Promise<http2.ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(server, {
      createConnection: () => openSocket(server, options.material),
      settings: { initialWindowSize: STREAM_WINDOW_BYTES },
    });
    const cancelTimer = options.clock.schedule(options.timeoutMs, () => session.destroy(new Error(`no answer in ${options.timeoutMs} ms`)));
    let failure: Error | undefined;
    const keep = (error: Error): void => {
      failure ??= error;
    };
    const fail = (): void => {
      cancelTimer();
      const state = failure?.message ?? "the connection was closed at once";
      reject(new WireError("unreachable", `cannot connect to ${server.host}: ${state}`, { cause: failure }));
    };
    session.on("error", keep);
    session.once("close", fail);
    session.once("connect", () => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
    session.once("remoteSettings", () => {
      cancelTimer();
      session.off("close", fail);
      session.off("error", keep);
      session.on("error", () => undefined);
      resolve(session);
    });
  });
}

function openSocket(server: URL, material: TlsMaterial): net.Socket {
  const host = server.hostname.replace(/^\[(.*)\]$/, "$1");
  const isPlain = server.protocol === "http:";
  const port = Number(server.port === "" ? (isPlain ? 80 : 443) : server.port);
  if (isPlain) return net.connect({ host, port });
  const serverName = material.serverName ?? (net.isIP(host) === 0 ? host : undefined);
  const socket = tls.connect({
    host,
    port,
    ALPNProtocols: ["h2"],
    rejectUnauthorized: material.insecure !== true,
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(material.ca === undefined ? {} : { ca: material.ca }),
    ...(material.cert === undefined ? {} : { cert: material.cert }),
    ...(material.key === undefined ? {} : { key: material.key }),
  });
  socket.once("secureConnect", () => {
    if (socket.alpnProtocol !== "h2") socket.destroy(new Error("the server does not speak HTTP/2"));
  });
  return socket;
}

function plainHeaders(headers: http2.IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(":")) plain[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return plain;
}
