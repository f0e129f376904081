import { endAfter, type Fault, type FaultContext, scaled } from "./fault.js";

const DETECTED_MS = 18_000;

function refusal(name: string, code: number, reason: string, retryAfterSeconds?: number): Fault {
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { name, intercept: () => ({ type: "refuse", code, reason, ...retry }) };
}

/** What happens at the API server and on the way to it. */
export const SERVER_FAULTS: readonly Fault[] = [
  refusal("answer-409", 409, "Conflict"),
  refusal("answer-429", 429, "TooManyRequests", 1),
  refusal("answer-500", 500, "InternalError"),
  refusal("answer-503", 503, "ServiceUnavailable"),
  refusal("answer-504", 504, "Timeout"),
  { name: "lose-reply", intercept: () => ({ type: "lose-reply" }) },
  { name: "drop-request", intercept: () => ({ type: "drop" }) },
  {
    name: "api-restart",
    begin({ cluster, strength }) {
      return cluster.restartApiServer(scaled(strength, 300, 9_000));
    },
  },
  {
    name: "history-compacted",
    begin({ cluster, strength }) {
      const links = cluster.processes.map(({ link }) => link);
      for (const link of links) {
        link.isDown = true;
        link.cut("the connection was reset");
      }
      // Whatever happens until they are back is history by then.
      return endAfter({ cluster, strength }, [1, 2_000], () => {
        cluster.state.database.compact();
        cluster.front.pager.expire();
        for (const link of links) link.isDown = false;
      });
    },
  },
  {
    name: "connection-cut",
    begin({ process }) {
      process.link.cut("the connection was reset");
      return 0;
    },
  },
  {
    name: "partition",
    begin({ process, cluster, strength }) {
      process.link.isDown = true;
      process.link.cut("the connection was reset");
      return endAfter({ cluster, strength }, [500, 25_000], () => (process.link.isDown = false));
    },
  },
  { name: "half-open", begin: halfOpen },
  {
    name: "slow-link",
    begin({ process, cluster, strength }) {
      process.link.extraDelayMs = scaled(strength, 200, 2_500);
      return endAfter({ cluster, strength }, [2_000, 15_000], () => (process.link.extraDelayMs = 0));
    },
  },
  {
    name: "server-behind",
    begin({ process, cluster, strength }) {
      // Its connection moves to a server whose caches are behind: what it writes is current, what it watches is not.
      process.link.watchLagMs = scaled(strength, 300, 5_000);
      process.link.cut("the connection was reset");
      return endAfter({ cluster, strength }, [2_000, 12_000], () => (process.link.watchLagMs = 0));
    },
  },
  {
    name: "token-rotated",
    begin({ cluster }) {
      cluster.rotateToken();
      return 0;
    },
  },
];

/** Nothing gets through any more and nobody is told, until pings find out. */
function halfOpen({ process, cluster }: FaultContext): number {
  process.link.isSilent = true;
  cluster.timeline.after(DETECTED_MS, () => {
    process.link.isSilent = false;
    process.link.cut("no answer to a ping");
  });
  return DETECTED_MS;
}
