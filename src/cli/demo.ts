import { join } from "node:path";
import { parseFlags } from "../lib/flags.js";
import { EXIT_FAILURE, EXIT_OK } from "../lib/process.js";
import { type DemoCluster, NODE_NAME, startCluster } from "./demo/cluster.js";
import { DEMO_FLAGS } from "./demo/flags.js";
import { ProductProcess } from "./demo/product-process.js";
import { createScreen, type Screen } from "./demo/screen.js";
import type { Stage } from "./demo/stage.js";
import { StepFailure } from "./demo/step-failure.js";
import { tellStory } from "./demo/story.js";
import { openWorkspace, RUNTIME_SOCKET, type Workspace } from "./demo/workspace.js";
import type { Ports } from "./ports.js";

const FIRST_LINE =
  "Real: Podmend's agent and controller (processes of their own, HTTP/2 with TLS, CRI over a unix socket), and a local process per container. " +
  "Modelled: API server, scheduler, kubelet, container runtime, registry.";

/**
 * `podmend demo`: an update in place from start to end, without a cluster, beside a recreate of the same pod.
 *
 * @returns the exit code: failure if a step does not come out as told, or if it is interrupted before the end
 * @throws {TypeError} for a mistake in flags, a port that is taken, a directory that cannot be written to
 */
export async function runDemo(ports: Ports, signal: AbortSignal): Promise<number> {
  const flags = parseFlags(DEMO_FLAGS, ports.process.args).values;
  const value = flags.set || `hello-${ports.random.hex(4)}`;
  if (/\p{Cc}/u.test(value)) throw new TypeError('invalid value for flag "--set": control characters are not allowed');
  const screen = createScreen(ports.process, flags.json);
  screen.line(FIRST_LINE);
  screen.record({ note: FIRST_LINE });
  const workspace = await openWorkspace(ports.clock.nowMs());
  if (workspace.leftovers.length > 0) screen.line(`Removed what a killed run had left: ${workspace.leftovers.join(", ")}`);
  try {
    return await play({ ports, flags, value, screen, workspace }, signal);
  } finally {
    await workspace.remove();
  }
}

interface Show {
  readonly ports: Ports;
  readonly flags: ReturnType<typeof parseFlags<typeof DEMO_FLAGS>>["values"];
  readonly value: string;
  readonly screen: Screen;
  readonly workspace: Workspace;
}

async function play(show: Show, signal: AbortSignal): Promise<number> {
  const { ports, flags, screen, workspace } = show;
  const closing = new AbortController();
  const relistMs = flags["relist-seconds"] * 1000;
  const cluster = await startCluster(
    { ports, directory: workspace.directory, port: flags.port, relistMs },
    AbortSignal.any([signal, closing.signal]),
  );
  const cast = new Cast(show, cluster);
  try {
    cast.start("controller");
    if (!flags["without-agent"]) cast.start("agent");
    tellCast(show, cluster, cast);
    await tellStory(cast.stage(signal));
    if (flags.keep) await keep(show, cluster, signal);
    return EXIT_OK;
  } catch (error) {
    if (signal.aborted) return interrupted(screen);
    if (!(error instanceof StepFailure)) throw error;
    screen.record({ failure: error.message });
    ports.process.writeError(`podmend demo: ${error.message}\n`);
    return EXIT_FAILURE;
  } finally {
    closing.abort(new Error("the demo has ended"));
    await cast.end();
    await cluster.close();
  }
}

function interrupted(screen: Screen): number {
  screen.line();
  screen.line("Interrupted: everything that was started is ended and removed.");
  return EXIT_FAILURE;
}

function tellCast({ ports, screen }: Show, cluster: DemoCluster, cast: Cast): void {
  const [controller, agent] = [cast.pid("controller"), cast.pid("agent")];
  const { pid } = ports.process;
  screen.line(
    `Controller: process ${String(controller)}. Agent: process ${String(agent ?? "none")}. Models: process ${String(pid)}, API server ${cluster.server.url}.`,
  );
  screen.record({ pids: { controller, agent, models: pid }, server: cluster.server.url, kubeconfig: cluster.kubeconfig });
}

/** Leaves everything running until the signal. */
async function keep({ screen }: Show, { kubeconfig }: DemoCluster, signal: AbortSignal): Promise<void> {
  screen.line(`It goes on until Ctrl-C: export KUBECONFIG=${kubeconfig}`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

type Role = "agent" | "controller";

/** Our processes in the demo. */
class Cast {
  readonly #show: Show;
  readonly #cluster: DemoCluster;
  readonly #running = new Map<Role, ProductProcess>();
  readonly #expectedEnds = new Set<ProductProcess>();
  #broken: string | undefined;

  constructor(show: Show, cluster: DemoCluster) {
    this.#show = show;
    this.#cluster = cluster;
    cluster.running.catch((error: unknown) => {
      this.#broken = `a model has broken: ${String(error)}`;
    });
  }

  pid(role: Role): number | undefined {
    return this.#running.get(role)?.pid;
  }

  start(role: Role): void {
    const { ports, workspace } = this.#show;
    const { directory } = workspace;
    const { env, args } = this.#cluster;
    const own = role === "agent" ? [`--run-directory=${directory}`, `--socket-file=${RUNTIME_SOCKET}`] : [];
    const process = new ProductProcess({
      args: [
        role,
        "--addr=127.0.0.1:0",
        "--v=4",
        "--shutdown-grace-seconds=1",
        "--feature-gates=ImagePullJobGate=true",
        ...args(role),
        ...own,
      ],
      env: { ...env, NODE_NAME, POD_NAME: `demo-${role}` },
      logPath: join(directory, `${role}.log`),
      clock: ports.clock,
    });
    this.#running.set(role, process);
    void process.ended.then((how) => {
      if (!this.#expectedEnds.has(process)) this.#broken ??= `the ${role} ${how}`;
    });
  }

  stage(signal: AbortSignal): Stage {
    const { ports, screen, flags, value } = this.#show;
    return {
      cluster: this.#cluster,
      screen,
      clock: ports.clock,
      signal,
      value,
      firstValue: value === "hello" ? "good morning" : "hello",
      relistMs: flags["relist-seconds"] * 1000,
      victim: () => this.#victim(),
      startAgent: () => this.start("agent"),
      agent: () => this.#running.get("agent"),
      broken: () => this.#broken,
      line: undefined,
    };
  }

  async end(): Promise<void> {
    const processes = [...this.#running.values()];
    for (const process of processes) this.#expectedEnds.add(process);
    await Promise.all(processes.map((process) => process.end()));
  }

  #victim(): ProductProcess | undefined {
    const agent = this.#running.get("agent");
    if (agent !== undefined) this.#expectedEnds.add(agent);
    return agent;
  }
}
