import { parseArgs } from "node:util";
import { deploy } from "./deploy.js";
import { takeDown } from "./down.js";
import { execute } from "./exec.js";
import { lockCluster } from "./lock.js";
import { say } from "./shell.js";
import { clusterPaths, readRecord, type ClusterPaths } from "./state.js";
import { bringUp } from "./up.js";

const USAGE = `usage: cluster up [--nodes N] [--install] | deploy | exec COMMAND... | down
The environment variable PODMEND_CLUSTER names the cluster ("main" when unset).`;

const MOST_NODES = 9;

class WrongUsage extends Error {}

async function main([subcommand, ...args]: readonly string[]): Promise<void> {
  const paths = clusterPaths();
  switch (subcommand) {
    case "up":
      return up(paths, args);
    case "deploy":
      refuseArguments(args);
      lockCluster(paths);
      return deploy(paths);
    case "exec":
      return exec(paths, args);
    case "down":
      refuseArguments(args);
      lockCluster(paths);
      await takeDown(paths);
      return say(`Cluster "${paths.instance}" is down`);
    default:
      throw new WrongUsage(`Cannot run "${subcommand ?? ""}": no such command`);
  }
}

async function up(paths: ClusterPaths, args: readonly string[]): Promise<void> {
  const options = upOptions(args);
  lockCluster(paths);
  await bringUp(paths, options);
  say(describeCluster(paths));
}

function upOptions(args: readonly string[]): { nodes: number; mayInstall: boolean } {
  const { values } = parseOptions(args);
  const nodes = Number(values.nodes);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > MOST_NODES)
    throw new WrongUsage(`Cannot use --nodes "${values.nodes}": want 1 to ${MOST_NODES}`);
  return { nodes, mayInstall: values.install || process.env["CI"] === "true" };
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { nodes: { type: "string", default: "2" }, install: { type: "boolean", default: false } },
    });
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function exec(paths: ClusterPaths, args: readonly string[]): Promise<void> {
  const command = args[0] === "--" ? args.slice(1) : args;
  if (command.length === 0) throw new WrongUsage("Cannot run nothing: want a command");
  const end = await execute(paths, command);
  if ("exitCode" in end) process.exit(end.exitCode);
  process.removeAllListeners(end.signal);
  process.kill(process.pid, end.signal);
}

function refuseArguments(args: readonly string[]): void {
  if (args.length > 0) throw new WrongUsage(`Cannot use "${args.join(" ")}": no arguments expected`);
}

function describeCluster(paths: ClusterPaths): string {
  return `Cluster "${paths.instance}" runs: ${(readRecord(paths)?.nodes ?? []).join(", ")} Ready.
  npm run -s cluster:exec -- kubectl get pods -A   any command: KUBECONFIG, kubectl, NODE_PIDS and AUDIT_LOG are set
  npm run cluster:deploy                           builds and installs Podmend
  npm run cluster:down                             removes it all
  Test images: lab.local/app:v1 and others. Logs and audit log: ${paths.logs}`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  say(error instanceof WrongUsage ? `${message}\n${USAGE}` : message);
  process.exit(error instanceof WrongUsage ? 2 : 1);
});
