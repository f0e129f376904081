import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failureMessage } from "../../lib/failure.js";

const PREFIX = "podmend-demo-";
/** In each demo's directory; whoever listens there lives. */
export const RUNTIME_SOCKET = "containerd.sock";
/** A demo that starts has its socket much sooner. */
const YOUNG_MS = 60_000;

/** The directory of one run. */
export interface Workspace {
  readonly directory: string;
  /** What killed runs had left and is removed now. */
  readonly leftovers: readonly string[];
  readonly remove: () => Promise<void>;
}

/** Makes a directory for this run and removes those of runs that were killed. @throws {TypeError} if nothing can be written there */
export async function openWorkspace(nowMs: number, root: string = tmpdir()): Promise<Workspace> {
  let directory: string;
  try {
    await mkdir(root, { recursive: true });
    directory = await mkdtemp(join(root, PREFIX));
  } catch (error) {
    throw new TypeError(`Cannot write below "${root}": ${failureMessage(error)}; set TMPDIR to a directory that you may write to`, {
      cause: error,
    });
  }
  const leftovers = await removeLeftovers(root, directory, nowMs);
  return { directory, leftovers, remove: () => rm(directory, { recursive: true, force: true }) };
}

async function removeLeftovers(root: string, own: string, nowMs: number): Promise<readonly string[]> {
  const others = (await readdir(root)).filter((name) => name.startsWith(PREFIX)).map((name) => join(root, name));
  const removed: string[] = [];
  for (const directory of others) {
    if (directory === own || !(await isLeftover(directory, nowMs))) continue;
    await rm(directory, { recursive: true, force: true }).then(
      () => removed.push(directory),
      () => undefined, // somebody else's: not ours to remove
    );
  }
  return removed;
}

async function isLeftover(directory: string, nowMs: number): Promise<boolean> {
  const answer = await knock(join(directory, RUNTIME_SOCKET));
  if (answer !== "ENOENT") return answer === "ECONNREFUSED";
  const found = await stat(directory).catch(() => undefined);
  return found !== undefined && nowMs - found.mtimeMs > YOUNG_MS;
}

/** @returns what is wrong with a socket; undefined if somebody listens */
function knock(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}
