import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { fromJSON, type ServiceDefinition } from "@grpc/proto-loader";
import { SANDBOXES_DESCRIPTOR, type SandboxesUnaryMethods } from "../../src/sim/runtime/gen/sandboxes-proto.js";
import {
  containerAnnotations,
  containerLabels,
  type KubeletContainer,
  type SimPod,
  sandboxLabels,
} from "../../src/sim/runtime/kubelet-words.js";

const DEADLINE_MS = 30_000;
const HOST_NETWORK = { securityContext: { namespaceOptions: { network: "NODE" } } } as const;

/** A container as a test asks for it. */
export interface WantedContainer extends KubeletContainer {
  readonly image: string;
  readonly envs?: readonly { readonly key: string; readonly value: string }[];
}

/** The part of a kubelet that makes and removes pods, over CRI; works on any runtime. */
export interface KubeletClient {
  /** A sandbox in the host's network. */
  runSandbox(pod: SimPod): Promise<string>;
  /** Creates and starts; the image must be there. */
  runContainer(sandboxId: string, pod: SimPod, container: WantedContainer): Promise<string>;
  removeContainer(id: string): Promise<void>;
  removeImage(reference: string): Promise<void>;
  /** Stops and removes every sandbox with its containers. */
  removeAll(): Promise<void>;
  close(): void;
}

/** Connects at the first call. */
export function createKubeletClient(socketPath: string): KubeletClient {
  const client = new Client(`unix://${socketPath}`, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
  const call = createCaller(client);
  return {
    async runSandbox(pod) {
      return (await call("RunPodSandbox", { config: sandboxConfig(pod) })).podSandboxId;
    },
    async runContainer(sandboxId, pod, container) {
      const config = {
        metadata: { name: container.name, attempt: container.restartCount ?? 0 },
        image: { image: container.image },
        envs: container.envs ?? [],
        labels: containerLabels(pod, container),
        annotations: containerAnnotations(pod, container),
        logPath: `${container.name}_${container.restartCount ?? 0}.log`,
      };
      const { containerId } = await call("CreateContainer", { podSandboxId: sandboxId, config, sandboxConfig: sandboxConfig(pod) });
      await call("StartContainer", { containerId });
      return containerId;
    },
    async removeContainer(containerId) {
      await call("RemoveContainer", { containerId });
    },
    async removeImage(reference) {
      await call("RemoveImage", { image: { image: reference } });
    },
    async removeAll() {
      const { items } = await call("ListPodSandbox", {});
      for (const { id } of items) {
        await call("StopPodSandbox", { podSandboxId: id });
        await call("RemovePodSandbox", { podSandboxId: id });
      }
    },
    close: () => client.close(),
  };
}

type Methods = SandboxesUnaryMethods;

function createCaller(client: Client) {
  const definitions = fromJSON(SANDBOXES_DESCRIPTOR, { longs: String, enums: String, defaults: true });
  const services = ["runtime.v1.RuntimeService", "runtime.v1.ImageService"].map((name) => definitions[name] as ServiceDefinition);
  const methods = Object.assign({}, ...services) as ServiceDefinition;
  return function call<M extends keyof Methods>(method: M, request: Methods[M]["request"]): Promise<Methods[M]["response"]> {
    const definition = methods[method];
    if (definition === undefined) throw new Error(`Cannot call "${method}": the descriptor has none`);
    const { path, requestSerialize, responseDeserialize } = definition;
    const deadline = Date.now() + DEADLINE_MS;
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), { deadline }, (error, reply) => {
        if (error === null) resolve(reply as Methods[M]["response"]);
        else reject(new Error(`${method}: ${error.message}`, { cause: error }));
      });
    });
  };
}

function sandboxConfig(pod: SimPod) {
  const { namespace, name, uid } = pod;
  return { metadata: { namespace, name, uid, attempt: 0 }, labels: sandboxLabels(pod), linux: HOST_NETWORK };
}
