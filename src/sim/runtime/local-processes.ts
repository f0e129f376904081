import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ContainerProcesses, KILLED, type SimContainer } from "./entities.js";

const CANNOT_START = 128;

/**
 * What runs in a container: a server on a free port of loopback that tells who it is and how often it has been asked. It ends when asked
 * to, and when the pipe to the one who started it closes.
 */
const PROGRAM = `"use strict";
const { createServer } = require("node:http");
const [, , name, stopMs] = process.argv;
let served = 0;
const server = createServer((_request, response) => {
  served += 1;
  process.stdout.write("request " + served + "\\n");
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ container: name, pid: process.pid, served, env: process.env }) + "\\n");
});
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.stdout.write("listens on 127.0.0.1:" + server.address().port + "\\n"));
process.on("SIGTERM", () => setTimeout(() => process.exit(0), Number(stopMs)));
for (const event of ["end", "close", "error"]) process.stdin.on(event, () => process.exit(0));
process.stdin.resume();
process.stdout.on("error", () => process.exit(0));
`;

/** So much of what a container has written is kept. Units: characters */
const MAX_LOG = 65_536;
const LISTENS = /listens on 127\.0\.0\.1:(\d+)\n/;

interface LocalProcess {
  readonly child: ChildProcess;
  readonly port: Promise<number>;
  log: string;
}

/** Containers as small servers on this machine, each a process of its own with the container's environment. */
export class LocalProcesses implements ContainerProcesses {
  readonly #program: string;
  readonly #running = new Map<string, LocalProcess>();

  /** Writes the program that they run into an existing directory. */
  constructor(directory: string) {
    this.#program = join(directory, "container.cjs");
    writeFileSync(this.#program, PROGRAM);
  }

  start(container: SimContainer, ended: (exitCode: number) => void): number {
    const { id, name, program } = container;
    const env = Object.fromEntries([...container.imageEnvs, ...container.envs].map(({ key, value }) => [key, value]));
    // A session of its own: Ctrl-C in a terminal is for the one who started it.
    const child = spawn(process.execPath, [this.#program, name, String(program.stopMs)], {
      env,
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    const running: LocalProcess = { child, port: portOf(child), log: "" };
    child.stdout?.on("data", (text: string) => {
      running.log = (running.log + text).slice(-MAX_LOG);
    });
    this.#running.set(id, running);
    const finish = (exitCode: number): void => {
      if (this.#running.delete(id)) ended(exitCode);
    };
    child.once("error", () => finish(CANNOT_START));
    child.once("exit", (code) => finish(code ?? KILLED));
    return child.pid ?? 0;
  }

  ask(id: string): void {
    this.#running.get(id)?.child.kill("SIGTERM");
  }

  kill(id: string): void {
    this.#running.get(id)?.child.kill("SIGKILL");
  }

  /** Where a running container's server listens. @throws if it does not run */
  async port(id: string): Promise<number> {
    const found = this.#running.get(id);
    if (found === undefined) throw new Error(`Cannot find the process of container "${id}": it has ended`);
    return found.port;
  }

  /** The last that a running container has written. */
  log(id: string): string | undefined {
    return this.#running.get(id)?.log;
  }

  /** Kills all and resolves when all have ended. */
  async close(): Promise<void> {
    const children = [...this.#running.values()].map(({ child }) => child);
    await Promise.all(
      children.map((child) => {
        const gone = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
        return child.kill("SIGKILL") ? gone : Promise.resolve();
      }),
    );
  }
}

function portOf(child: ChildProcess): Promise<number> {
  const port = new Promise<number>((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      text = (text + part).slice(-MAX_LOG);
      const found = LISTENS.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once("exit", () => reject(new Error("Cannot tell the port of a container: it has ended")));
  });
  port.catch(() => undefined); // nobody may have asked
  return port;
}
