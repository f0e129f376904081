import { readFile, stat } from "node:fs/promises";

/** Reading files as a port. */
export interface Files {
  /** @throws the system's error if the file cannot be read */
  read(path: string): Promise<Buffer>;
  /** When the file's content last changed. Units: milliseconds since the epoch. */
  modifiedMs(path: string): Promise<number>;
}

/** The machine's own files. */
export const systemFiles: Files = {
  read: (path) => readFile(path),
  modifiedMs: async (path) => (await stat(path)).mtimeMs,
};
