import { createServer, type Server as NetServer, type Socket } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { ServiceDefinition } from "@grpc/proto-loader";
import { type Clock, systemClock } from "../../lib/clock.js";
import { type Random, systemRandom } from "../../lib/random.js";
import type { ContainerProcesses } from "./entities.js";
import type { ContainerEventResponse } from "./gen/runtime-proto.js";
import { MODEL_STATUS, ModelFailure } from "./model-failure.js";
import { type RuntimeIdentity, toEventResponse } from "./runtime-calls.js";
import { RuntimeWorld } from "./runtime-world.js";
import { noEvents, type ServiceCall, serviceCalls, statusOf } from "./service-calls.js";
import { serviceDefinitions } from "./service-definitions.js";

/** How a simulated runtime is made; everything has a default. */
export interface SimRuntimeOptions extends Partial<RuntimeIdentity> {
  /** Absolute; default: in a new temporary directory. */
  readonly socketPath?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: containers have no processes. */
  readonly processes?: ContainerProcesses;
}

/** A running model of a container runtime: the world behind it, and its life as a process. */
export interface SimRuntime {
  readonly socketPath: string;
  readonly world: RuntimeWorld;
  /** As if killed: connections drop, the socket is gone; containers live on. */
  goAway(): void;
  /** Starts again on the same path, with the same containers. */
  comeBack(): Promise<void>;
  /** Ends it and removes what it made. */
  close(): void;
}

/** Starts a model of a container runtime that speaks CRI v1 on a unix socket. */
export async function startRuntime(options: SimRuntimeOptions = {}): Promise<SimRuntime> {
  const ownDirectory = options.socketPath === undefined ? mkdtempSync(join(tmpdir(), "podmend-runtime-")) : undefined;
  const socketPath = options.socketPath ?? join(String(ownDirectory), "containerd.sock");
  const world = new RuntimeWorld(options.clock ?? systemClock, options.random ?? systemRandom, options.processes);
  const identity = { runtimeName: options.runtimeName ?? "containerd", runtimeVersion: options.runtimeVersion ?? "v2.0.0-sim" };
  let running: RunningServer | undefined = await serve(world, identity, socketPath);
  const goAway = (): void => {
    running?.kill();
    running = undefined;
    rmSync(socketPath, { force: true });
  };
  return {
    socketPath,
    world,
    goAway,
    async comeBack() {
      running ??= await serve(world, identity, socketPath);
    },
    close() {
      goAway();
      if (ownDirectory !== undefined) rmSync(dirname(socketPath), { recursive: true, force: true });
    },
  };
}

interface RunningServer {
  /** As the end of a process: no gRPC good-bye, the sockets are just gone. */
  kill(): void;
}

async function serve(world: RuntimeWorld, identity: RuntimeIdentity, socketPath: string): Promise<RunningServer> {
  const server = new Server();
  const calls = serviceCalls(world, identity);
  for (const service of serviceDefinitions()) server.addService(service, implementation(world, service, calls));
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    injector.injectConnection(socket);
  });
  await listen(listener, socketPath);
  return {
    kill() {
      listener.close();
      for (const socket of sockets) socket.destroy();
      injector.destroy();
      server.forceShutdown();
    },
  };
}

function listen(listener: NetServer, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(socketPath, resolve);
  });
}

function implementation(
  world: RuntimeWorld,
  service: ServiceDefinition,
  calls: ReadonlyMap<string, ServiceCall>,
): UntypedServiceImplementation {
  const entries = Object.keys(service).map((method) => {
    const call = calls.get(method);
    return [method, call === undefined ? streamEvents(world) : answer(call)] as const;
  });
  return Object.fromEntries(entries);
}

function answer(serve: ServiceCall): handleUnaryCall<object, object> {
  return (call, callback) => {
    const givenUp = new AbortController();
    call.on("cancelled", () => givenUp.abort(new ModelFailure(MODEL_STATUS.CANCELLED, "context canceled")));
    serve(call.request, givenUp.signal).then(
      (reply) => callback(null, reply),
      (error: unknown) => callback(statusOf(error)),
    );
  };
}

function streamEvents(world: RuntimeWorld): (call: ServerWritableStream<object, ContainerEventResponse>) => void {
  return (call) => {
    if (world.faults.hasNoEvents) {
      call.emit("error", statusOf(noEvents()));
      return;
    }
    const unwatch = world.containers.watch((event) => void call.write(toEventResponse(event)));
    call.on("cancelled", unwatch);
    call.on("close", unwatch);
  };
}
