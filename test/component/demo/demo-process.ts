import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import http2 from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../../scripts/bundle.js";
import { ROOT } from "../../../scripts/run.js";
import { eventually } from "../../support/eventually.js";

export type DemoLine = Readonly<Record<string, unknown>>;

/** The demo's bundle and a temporary directory that runs of it share. */
export interface DemoLab {
  readonly temporary: string;
  readonly start: (args: readonly string[], env?: Readonly<Record<string, string>>) => DemoProcess;
  /** Directories of runs that are there now, or in another place that runs were started with as TMPDIR. */
  readonly workspaces: (place?: string) => readonly string[];
  remove(): Promise<void>;
}

export async function buildDemo(): Promise<DemoLab> {
  const directory = mkdtempSync(join(tmpdir(), "podmend-demotest-"));
  const temporary = mkdtempSync(join(tmpdir(), "podmend-demotmp-"));
  const path = join(directory, "podmend-demo.cjs");
  await bundle(path, "demo");
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  const started: DemoProcess[] = [];
  return {
    temporary,
    start(args, env = {}) {
      const process = new DemoProcess([path, "demo", ...args], { TMPDIR: temporary, ...env });
      started.push(process);
      return process;
    },
    workspaces: (place = temporary) => readdirSync(place).filter((name) => name.startsWith("podmend-demo-")),
    async remove() {
      await Promise.all(started.map((process) => process.end("SIGKILL")));
      for (const made of [directory, temporary]) rmSync(made, { recursive: true, force: true });
    },
  };
}

/** A run of the demo with what it has said so far. */
export class DemoProcess {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  stdout = "";
  stderr = "";

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [...args], { stdio: ["ignore", "pipe", "pipe"], env });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) => this.#child.once("close", resolve));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  lines(): readonly DemoLine[] {
    const complete = this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1);
    return complete
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as DemoLine);
  }

  /** Waits for the first line that has this member, or whose member `step` is this. */
  told(what: string, timeoutMs = 60_000): Promise<DemoLine> {
    return eventually(
      () => {
        const found = this.lines().find((line) => what in line || line["step"] === what);
        if (found === undefined) throw new Error(`not told: ${what}\n${this.stdout}${this.stderr}`);
        return found;
      },
      timeoutMs,
      20,
    );
  }

  end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.ended;
  }
}

/** GET of an object from the model of the API server, by the kubeconfig that the demo wrote. */
export async function get(kubeconfigPath: string, path: string, accept?: string): Promise<Record<string, unknown>> {
  return JSON.parse(await getText(kubeconfigPath, path, accept)) as Record<string, unknown>;
}

/** The same for any text. */
export async function getText(kubeconfigPath: string, path: string, accept = "application/json"): Promise<string> {
  const config = JSON.parse(readFileSync(kubeconfigPath, "utf8")) as {
    clusters: [{ cluster: { server: string; "certificate-authority-data": string } }];
    users: [{ user: { token: string } }];
  };
  const { cluster } = config.clusters[0];
  const session = http2.connect(cluster.server, { ca: Buffer.from(cluster["certificate-authority-data"], "base64") });
  try {
    const stream = session.request({ ":path": path, accept, authorization: `Bearer ${config.users[0].user.token}` });
    let text = "";
    for await (const part of stream.setEncoding("utf8") as AsyncIterable<string>) text += part;
    return text;
  } finally {
    session.close();
  }
}

/** The processes whose command line or environment names a text. */
export function processesWith(text: string): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => procFile(Number(pid), "cmdline").includes(text)).map(Number);
}

/** A file of /proc as words; empty once the process has ended. */
export function procFile(pid: number, file: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, "utf8").replaceAll("\0", "\n");
  } catch {
    return "";
  }
}
