import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../../scripts/bundle.js";
import { ROOT } from "../../scripts/run.js";
import { shippedContainer } from "../../test/support/manifests.js";
import { type Usage, usageOf } from "./usage.js";

/** How to reach the model of the API server. */
export interface ApiAccess {
  readonly port: number;
  readonly ca: string;
  readonly token: string;
}

export interface ProductOptions {
  readonly directory: string;
  readonly access: ApiAccess;
  /** Sub-command and flags. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** For a profile: `--cpu-prof` and the like. */
  readonly nodeArgs?: readonly string[];
}

/** Our agent or controller as a process of its own, from the bundle that the image carries and started as the manifests do it. */
export class ProductProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.#ended = new Promise((resolve) => void child.once("exit", () => resolve()));
  }

  static async start({ directory, access, args, env = {}, nodeArgs = [] }: ProductOptions): Promise<ProductProcess> {
    const path = join(directory, "podmend.cjs");
    await bundle(path);
    const account = join(directory, "service-account");
    mkdirSync(account, { recursive: true });
    writeFileSync(join(account, "token"), access.token);
    writeFileSync(join(account, "ca.crt"), access.ca);
    const shipped = shippedContainer(args[0] ?? "");
    const shippedEnv = Object.fromEntries((shipped?.env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
    const log = openSync(join(directory, `${args[0] ?? "podmend"}.log`), "a");
    const child = spawn(
      process.execPath,
      [...shippedNodeArgs(args[0] ?? ""), ...nodeArgs, path, ...args, `--service-account-directory=${account}`, "--addr=127.0.0.1:0"],
      {
        cwd: directory,
        stdio: ["ignore", log, log],
        env: {
          PATH: process.env["PATH"] ?? "",
          NODE_ENV: "production",
          MALLOC_ARENA_MAX: "1",
          ...shippedEnv,
          ...env,
          KUBERNETES_SERVICE_HOST: "127.0.0.1",
          KUBERNETES_SERVICE_PORT: String(access.port),
        },
      },
    );
    process.once("exit", () => child.kill("SIGKILL"));
    return new ProductProcess(child);
  }

  usage(): Usage {
    return usageOf(this.pid);
  }

  /** In good order, so that a profile is written. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGTERM");
    await this.#ended;
  }
}

/** The arguments of Node with which the manifests, or else the image, start a command of ours. */
export function shippedNodeArgs(command: string): readonly string[] {
  return (shippedContainer(command)?.command ?? entrypoint()).slice(1, -1);
}

function entrypoint(): readonly string[] {
  const words = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(ROOT, "Dockerfile"), "utf8"))?.[1];
  return JSON.parse(words ?? "[]") as readonly string[];
}
