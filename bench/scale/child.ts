import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../../scripts/run.js";
import { Caller, type Methods } from "./calls.js";
import { type Usage, usageOf } from "./usage.js";

/** A directory for everything that a run makes; the packages can be found from there. */
export function makeWorkspace(): { readonly directory: string; readonly remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), "podmend-scale-"));
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** One of the bench's own processes, and its methods. */
export class Child<M extends Methods> {
  readonly pid: number;
  readonly #process: ChildProcess;
  readonly #caller: Caller;
  readonly #ended: Promise<void>;

  private constructor(started: ChildProcess) {
    this.#process = started;
    this.pid = started.pid ?? 0;
    this.#caller = new Caller((request) => void started.send(request));
    started.on("message", (message) => this.#caller.take(message as never));
    this.#ended = new Promise((resolve) => {
      started.once("exit", (code, signal) => {
        this.#caller.fail(new Error(`a process of the bench has ended with ${signal ?? `code ${String(code)}`}`));
        resolve();
      });
    });
  }

  /** Bundles a file of this folder and runs it, without the cost of a loader. */
  static async start<M extends Methods>(name: string, directory: string, nodeArgs: readonly string[] = []): Promise<Child<M>> {
    const outfile = join(directory, `${name}.cjs`);
    await build({
      absWorkingDir: ROOT,
      entryPoints: [`bench/scale/${name}.ts`],
      outfile,
      bundle: true,
      platform: "node",
      format: "cjs",
      target: "node20.19",
      external: ["@kubernetes/client-node"],
      logLevel: "warning",
    });
    return new Child<M>(fork(outfile, { execArgv: [...nodeArgs], stdio: ["ignore", "inherit", "inherit", "ipc"] }));
  }

  async call<Name extends keyof M & string>(method: Name, ...params: Parameters<M[Name]>): Promise<Awaited<ReturnType<M[Name]>>> {
    return (await this.#caller.call(method, params[0])) as Awaited<ReturnType<M[Name]>>;
  }

  usage(): Usage {
    return usageOf(this.pid);
  }

  /** Ends it at once; it keeps nothing. */
  async stop(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }
}
