import type { NodePodRestart } from "../../src/api/node-pod-restart.js";
import { NODE_POD_RESTARTS } from "../../src/api/resources.js";
import { criCodec } from "../../src/cri/codec.js";
import { openGrpcTransport } from "../../src/cri/grpc-transport.js";
import { connect, serverAccess } from "./agent-host.js";
import { serveCalls } from "./calls.js";
import { NEVER } from "./never.js";
import type { ApiAccess } from "./product-process.js";

const STOP_TIMEOUT_MS = 10_000;

/** The floor of a restart's latency: a watch, and a stop for every request that is new. It looks at nothing and reports nothing. */
const methods = {
  async start({
    access,
    socketPath,
    node,
  }: {
    readonly access: ApiAccess;
    readonly socketPath: string;
    readonly node: string;
  }): Promise<void> {
    const client = connect(serverAccess(access), "bare");
    const transport = openGrpcTransport(socketPath);
    const codec = criCodec();
    const version = codec("Version");
    const stop = codec("StopContainer");
    await transport.unary(version.path, version.encode({ version: "v1" }), { timeoutMs: STOP_TIMEOUT_MS, signal: NEVER });
    const fieldSelector = `metadata.name=${node}`;
    const { resourceVersion } = await client.list(NODE_POD_RESTARTS, { fieldSelector }, NEVER);
    const seen = new Set<string>();
    const stopOnce = (id: string, containerID: string): void => {
      seen.add(id);
      const request = stop.encode({ containerId: containerID.replace(/^.*\/\//, ""), timeout: "1" });
      void transport.unary(stop.path, request, { timeoutMs: STOP_TIMEOUT_MS, signal: NEVER });
    };
    await new Promise<void>((resolve) => {
      const follow = async (): Promise<void> => {
        const events = client.watch<NodePodRestart>(NODE_POD_RESTARTS, { fieldSelector, resourceVersion, onOpen: resolve }, NEVER);
        for await (const { object } of events) {
          const requests = (object.spec.podRestarts ?? []).flatMap((entry) => entry.requests);
          for (const { id, containerID = "" } of requests) if (!seen.has(id)) stopOnce(id, containerID);
        }
      };
      void follow();
    });
  },
};

export type FloorMethods = typeof methods;
serveCalls(methods);
