import { describeFlags } from "../lib/flags.js";
import { failureMessage } from "../lib/failure.js";
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE } from "../lib/process.js";
import { AGENT_FLAGS } from "./agent-config.js";
import { CONTROLLER_FLAGS } from "./controller-config.js";
import { DEMO_FLAGS } from "./demo/flags.js";
import type { Ports } from "./ports.js";
import { VERSION } from "./version.js";

const USAGE = `podmend ${VERSION}: in-place updates for Kubernetes Pods

Usage: podmend COMMAND [flags]

  agent        restart containers and pull images on this node (runs as a DaemonSet)
  controller   decide what agents do (runs as a Deployment)
  demo         show an update in place without a cluster
  version      print the version

podmend COMMAND --help lists a command's flags.
`;

const COMMANDS = "agent, controller, demo, version, help";
const HELP_WORDS: readonly string[] = ["--help", "-help", "-h", "help"];

/** Runs one command until it ends or the signal asks it to. @returns the exit code */
export async function runCommand(ports: Ports, signal: AbortSignal): Promise<number> {
  const [command = "help", ...args] = ports.process.args;
  const inner: Ports = { ...ports, process: { ...ports.process, args } };
  try {
    return await dispatch(command, inner, signal);
  } catch (error) {
    const isUsage = error instanceof TypeError;
    ports.process.writeError(`${oneLine(`podmend ${command}: ${failureMessage(error)}`)}\n`);
    return isUsage ? EXIT_USAGE : EXIT_FAILURE;
  }
}

async function dispatch(command: string, ports: Ports, signal: AbortSignal): Promise<number> {
  const wantsHelp = ports.process.args.some((arg) => HELP_WORDS.includes(arg));
  switch (command) {
    case "agent":
      if (wantsHelp) return print(ports, `Usage: podmend agent [flags]\n\nNODE_NAME must be set.\n\n${describeFlags(AGENT_FLAGS)}`);
      return (await import("./agent.js")).runAgent(ports, signal);
    case "controller":
      if (wantsHelp) return print(ports, `Usage: podmend controller [flags]\n\n${describeFlags(CONTROLLER_FLAGS)}`);
      return (await import("./controller.js")).runController(ports, signal);
    case "demo":
      if (wantsHelp) return print(ports, `Usage: podmend demo [flags]\n\n${describeFlags(DEMO_FLAGS)}`);
      return (await import("./demo.js")).runDemo(ports, signal);
    case "version":
    case "--version":
      return print(ports, `podmend ${VERSION}\n`);
    default:
      if (HELP_WORDS.includes(command)) return print(ports, USAGE);
      throw new TypeError(`unknown command "${command}": allowed are ${COMMANDS}`);
  }
}

/** What users give may hold line breaks, and comes back in messages. */
function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, " ");
}

function print(ports: Ports, text: string): number {
  ports.process.writeOut(text);
  return EXIT_OK;
}
