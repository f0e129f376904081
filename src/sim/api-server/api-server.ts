import http2 from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { ApiFrontOptions } from "./api-front.js";
import { ApiState } from "./api-state.js";
import { Faults } from "./faults.js";
import { type Gate, openGate } from "./gate.js";
import { HttpFront, type SeenRequest } from "./http-front.js";

export interface ApiServerOptions {
  /** Default: a new one. Pass one on to model a restart. */
  readonly state?: ApiState;
  /** Default: any free one. */
  readonly port?: number;
  /** PEM texts; absent: HTTP/2 without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
  /** The only bearer token that is accepted; default: anybody is. */
  readonly token?: string;
  /** Who may do what; default: everybody may do everything. */
  readonly access?: ApiFrontOptions["access"];
  /** Default: one minute, as the real server. */
  readonly bookmarkPeriodMs?: number;
  /** How far behind this server is; see the front. Start another one over the same state for a second front. */
  readonly lagMs?: ApiFrontOptions["lagMs"];
  readonly maxConcurrentStreams?: number;
  /** Default: pods have no logs. */
  readonly podLog?: ApiFrontOptions["podLog"];
}

/** A running model of the API server on loopback. */
export interface ApiServer {
  readonly url: string;
  readonly port: number;
  readonly state: ApiState;
  readonly faults: Faults;
  /** All requests so far, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** Connections that are open now. */
  connectionCount(): number;
  /** Connections there ever were. */
  connectionTotal(): number;
  /** Changes the token that is accepted. */
  setToken(token: string): void;
  /** Forgets all history and half-read lists: watches and pages from before get 410. */
  compact(): void;
  /** Sends GOAWAY on all connections; their streams go on. */
  goAway(): void;
  /** Ends all watches in good order, as a server does when their time is up. */
  endWatches(): void;
  /** Half-open: from now on nothing gets through on any connection, and nobody is told. */
  freeze(): void;
  /** Lets new connections through again. */
  thaw(): void;
  /** Resets all connections. */
  cut(): void;
  /** Closes all TCP connections without a GOAWAY before. */
  finish(): void;
  /** Stops listening and resets all connections. The state stays usable. */
  stop(): Promise<void>;
}

const BOOKMARK_PERIOD_MS = 60_000;

/** Starts the model on a loopback port. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const state = options.state ?? new ApiState();
  const faults = new Faults();
  let token = options.token;
  const listener = createServer(options);
  const { server, sessions, streams, connections } = listener;
  await listen(server);
  const gate = await openGate((server.address() as AddressInfo).port, options.port);
  const front = new HttpFront({
    state,
    faults,
    cut: (stream) => gate.cut(stream.session?.socket.remotePort),
    token: () => token,
    bookmarkPeriodMs: options.bookmarkPeriodMs ?? BOOKMARK_PERIOD_MS,
    podLog: options.podLog,
    access: options.access,
    lagMs: options.lagMs,
  });
  server.on("stream", (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void front.serve(stream, headers));
  return {
    url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${gate.port}`,
    port: gate.port,
    state,
    faults,
    requests: front.seen,
    connectionCount: () => sessions.size,
    connectionTotal: () => connections.total,
    setToken(next) {
      token = next;
    },
    compact() {
      state.database.compact();
      front.front.pager.expire();
    },
    goAway() {
      for (const session of sessions) session.goaway();
    },
    endWatches() {
      for (const stream of streams) if (stream.headersSent) stream.end();
    },
    freeze: () => gate.freeze(),
    thaw: () => gate.thaw(),
    cut: () => gate.cut(),
    finish: () => gate.finish(),
    stop() {
      front.front.close();
      return stop(listener, gate);
    },
  };
}

interface Listener {
  readonly server: http2.Http2Server | http2.Http2SecureServer;
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
  readonly sockets: ReadonlySet<Socket>;
  readonly streams: ReadonlySet<http2.ServerHttp2Stream>;
  readonly connections: { readonly total: number };
}

function createServer({ tls, maxConcurrentStreams }: ApiServerOptions): Listener {
  const settings = maxConcurrentStreams === undefined ? {} : { settings: { maxConcurrentStreams } };
  const clientCa = tls?.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true };
  const server = tls === undefined ? http2.createServer(settings) : http2.createSecureServer({ ...settings, ...tls, ...clientCa });
  const sessions = new Set<http2.ServerHttp2Session>();
  const sockets = new Set<Socket>();
  const streams = new Set<http2.ServerHttp2Stream>();
  const connections = { total: 0 };
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("session", (session: http2.ServerHttp2Session) => {
    connections.total++;
    sessions.add(session);
    session.on("error", () => undefined); // clients may vanish
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream: http2.ServerHttp2Stream) => {
    streams.add(stream);
    stream.once("close", () => streams.delete(stream));
  });
  return { server, sessions, sockets, streams, connections };
}

function listen(server: http2.Http2Server | http2.Http2SecureServer): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
}

async function stop({ server, sessions, sockets }: Listener, gate: Gate): Promise<void> {
  await gate.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const session of sessions) session.destroy();
  // A session that was closing anyway, or that is still in its TLS handshake, would wait for a client that may be gone.
  for (const socket of sockets) socket.destroy();
  await closed;
}
