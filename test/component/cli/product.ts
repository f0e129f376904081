import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../../scripts/bundle.js";
import { ROOT } from "../../../scripts/run.js";
import { eventually } from "../../support/eventually.js";
import { shippedContainer } from "../../support/manifests.js";

/** The product as the image carries it, built into a temporary directory. */
export interface Product {
  readonly directory: string;
  /** Starts a process of it; it dies with the test process at the latest. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ProductProcess;
  /** Kills what still runs and removes the directory. */
  remove(): Promise<void>;
}

/** Builds the bundle with the options of the real build. */
export async function buildProduct(): Promise<Product> {
  const directory = await mkdtemp(join(tmpdir(), "podmend-product-"));
  const path = join(directory, "podmend.cjs");
  await bundle(path);
  // Only the kubeconfig reader is looked for there, as in a checkout.
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  const started: ProductProcess[] = [];
  return {
    directory,
    start(args, env = {}) {
      const { nodeArgs, env: shippedEnv } = shipped(args[0] ?? "");
      const process = new ProductProcess([...nodeArgs, path, ...args], { ...shippedEnv, ...env });
      started.push(process);
      return process;
    },
    async remove() {
      await Promise.all(started.map((process) => process.end("SIGKILL")));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface Shipped {
  readonly nodeArgs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How the manifests run a command, where they say so, else the Dockerfile. */
function shipped(command: string): Shipped {
  const container = shippedContainer(command);
  const entrypoint = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(ROOT, "Dockerfile"), "utf8"))?.[1];
  const words = container?.command ?? (JSON.parse(entrypoint ?? "[]") as string[]);
  if (words[0] !== "node") throw new Error(`Cannot tell how the image runs Node: ${words.join(" ")}`);
  const values = (container?.env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return { nodeArgs: words.slice(1, -1), env: { NODE_ENV: "production", MALLOC_ARENA_MAX: "1", ...Object.fromEntries(values) } };
}

/** One line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running process of the product, and everything it has said. */
export class ProductProcess {
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  #stdout = "";
  #stderr = "";

  constructor(nodeArgs: readonly string[], env: Readonly<Record<string, string>>) {
    // setpriv becomes Node: the pid is the product's own.
    const command = ["--pdeathsig", "KILL", process.execPath, ...nodeArgs];
    this.#child = spawn("setpriv", command, { stdio: ["ignore", "pipe", "pipe"], env: { PATH: process.env["PATH"] ?? "", ...env } });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.#stdout += text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => resolve({ code, signal }));
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Memory it holds now, as `ps` tells it. Units: MiB. */
  rssMiB(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  /** The log so far. @throws if a line is no JSON */
  log(): readonly LogLine[] {
    const complete = this.#stdout.slice(0, this.#stdout.lastIndexOf("\n") + 1);
    return complete
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogLine);
  }

  /** Waits for a line with this message, and with these fields if given. */
  logged(message: string, timeoutMs = 10_000): Promise<LogLine> {
    return eventually(() => {
      const line = this.log().find(({ msg }) => msg === message);
      if (line === undefined) throw new Error(`not logged: ${message}\n${this.#stdout}${this.#stderr}`);
      return line;
    }, timeoutMs);
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends the signal, if it still runs, and waits for its end. */
  end(signal: NodeJS.Signals): Promise<Ending> {
    if (!this.hasEnded) this.send(signal);
    return this.ended;
  }

  /** GET on its health server. */
  async get(path: string): Promise<Answer> {
    const { port } = await this.logged("Health server listens");
    const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(5_000),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Waits for an answer of /readyz that the check likes. */
  readyz(check: (answer: Answer) => void, timeoutMs = 10_000): Promise<void> {
    return eventually(async () => check(await this.get("/readyz?verbose")), timeoutMs, 50);
  }
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}
