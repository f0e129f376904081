import { NODES } from "../../../src/api/resources.js";
import type { SimNode } from "../cluster/sim-node.js";
import { KILLED } from "../../../src/sim/runtime/entities.js";
import type { StopFault } from "../../../src/sim/runtime/faults.js";
import { MODEL_STATUS, ModelFailure } from "../../../src/sim/runtime/model-failure.js";
import { endAfter, type Fault, type FaultContext, lasting, scaled, WITH_SET, WITH_STOPS } from "./fault.js";

function stopFault(name: string, fault: StopFault): Fault {
  return {
    name,
    flows: WITH_STOPS,
    begin({ node, cluster, strength }) {
      node.world.faults.stop = fault;
      return endAfter({ cluster, strength }, [1_000, 12_000], () => (node.world.faults.stop = undefined));
    },
  };
}

/** What happens on a node: its runtime, its kubelet, its clock, itself. */
export const NODE_FAULTS: readonly Fault[] = [
  stopFault("stop-fails-but-dies", "fails-but-dies"),
  stopFault("stop-answers-but-runs", "answers-but-runs"),
  stopFault("stop-hangs", "hangs"),
  {
    name: "stop-outlives-deadline",
    flows: WITH_STOPS,
    begin({ node, cluster, strength }) {
      node.world.faults.stop = "dies-late";
      node.world.faults.lateMs = scaled(strength, 1_000, 15_000);
      return node.world.faults.lateMs + endAfter({ cluster, strength }, [1_000, 8_000], () => (node.world.faults.stop = undefined));
    },
  },
  {
    name: "killed-as-we-stop",
    flows: WITH_STOPS,
    begin({ node }) {
      node.world.faults.onStop = (id) => {
        node.world.faults.onStop = undefined;
        node.world.containers.exit(id, KILLED);
      };
      return 0;
    },
  },
  { name: "runtime-restart", begin: restartRuntime },
  {
    name: "node-reboot",
    begin: (context) => lasting(context, [500, 12_000], (durationMs) => context.node.reboot(durationMs)),
  },
  {
    name: "socket-replaced",
    begin({ node }) {
      node.socket.cut("read ECONNRESET");
      return 0;
    },
  },
  {
    name: "runtime-slow",
    begin({ node, cluster, strength }) {
      node.socket.extraDelayMs = scaled(strength, 100, 1_500);
      return endAfter({ cluster, strength }, [2_000, 10_000], () => (node.socket.extraDelayMs = 0));
    },
  },
  {
    name: "stale-lists",
    begin({ node, cluster, strength }) {
      node.world.faults.listLagMs = 1_000;
      return endAfter({ cluster, strength }, [2_000, 10_000], () => (node.world.faults.listLagMs = 0));
    },
  },
  { name: "disk-full", flows: ["pull-job"], begin: fillDisk },
  {
    name: "container-killed",
    flows: WITH_SET,
    begin({ node, random }) {
      const running = node.world.containers.list().filter(({ state }) => state === "CONTAINER_RUNNING");
      if (running.length > 0) node.world.containers.exit(random.pick(running).id, KILLED);
      return 0;
    },
  },
  {
    name: "dead-containers-collected",
    flows: WITH_SET,
    begin({ node }) {
      for (const { id, state } of node.world.containers.list()) if (state === "CONTAINER_EXITED") node.world.containers.remove(id);
      return 0;
    },
  },
  {
    name: "kubelet-stopped",
    flows: WITH_SET,
    begin({ node, cluster, strength }) {
      node.stopKubelet();
      return endAfter({ cluster, strength }, [500, 8_000], () => node.startKubelet());
    },
  },
  {
    name: "kubelet-lags",
    flows: WITH_SET,
    begin({ node, cluster, strength }) {
      node.kubeletLagMs = scaled(strength, 200, 3_000);
      return endAfter({ cluster, strength }, [3_000, 15_000], () => (node.kubeletLagMs = 20));
    },
  },
  {
    name: "kubelet-slow",
    flows: WITH_SET,
    begin: (context) =>
      lasting(context, [2_000, 12_000], (durationMs) => context.node.slowKubelet(durationMs, scaled(context.strength, 200, 2_000))),
  },
  {
    name: "kubelet-cut-off",
    flows: WITH_SET,
    begin: (context) => lasting(context, [500, 12_000], (durationMs) => context.node.cutOffKubelet(durationMs)),
  },
  {
    name: "kubelet-writes-late",
    flows: WITH_SET,
    begin: (context) => lasting(context, [2_000, 12_000], (durationMs) => context.node.delayKubeletWrites(durationMs)),
  },
  { name: "node-recreated", begin: recreateNode },
  {
    name: "clock-jumps-back",
    begin({ node, strength }) {
      // The kubelet's back-off follows the wall clock, and is not ours to shorten.
      node.clockError.offsetMs -= scaled(strength, 1_000, 20_000);
      return 0;
    },
  },
  {
    name: "clock-jumps-ahead",
    begin({ node, strength }) {
      node.clockError.offsetMs += scaled(strength, 1_000, 3_600_000);
      return 0;
    },
  },
  {
    name: "server-clock-jumps",
    begin({ cluster, strength }) {
      cluster.clockError.offsetMs += scaled(strength, -3_600_000, 3_600_000);
      return 0;
    },
  },
];

function restartRuntime({ node, cluster, strength }: FaultContext): number {
  node.socket.isDown = true;
  node.socket.cut("connect ENOENT");
  return endAfter({ cluster, strength }, [300, 20_000], () => (node.socket.isDown = false));
}

function fillDisk({ node, cluster, strength }: FaultContext): number {
  const { faults } = node.world;
  faults.intercept = (method) => {
    const isWrite = method === "PullImage" || method === "CreateContainer";
    return isWrite ? Promise.reject(new ModelFailure(MODEL_STATUS.UNKNOWN, "no space left on device")) : Promise.resolve();
  };
  return endAfter({ cluster, strength }, [1_000, 10_000], () => (faults.intercept = undefined));
}

/** The Node object goes and comes back under its name, as when a machine is replaced by itself. */
function recreateNode({ node, cluster, strength }: FaultContext): number {
  if (!hasNode(cluster, node)) return 0;
  cluster.state.delete(NODES, { name: node.name });
  return endAfter({ cluster, strength }, [100, 5_000], () => cluster.registerNode(node.name));
}

function hasNode({ state }: FaultContext["cluster"], { name }: SimNode): boolean {
  return state.list(NODES).some(({ metadata }) => metadata.name === name);
}
