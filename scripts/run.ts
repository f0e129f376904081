import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Runs a command with the caller's own output; resolves with its exit code. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** The script behind a package's command, so that no shell and no npx stands between. */
export function packageScript(name: string, path: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);
}

/** Runs one of this repository's own scripts. */
export function runScript(path: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<number> {
  return run(process.execPath, [packageScript("tsx", "dist/cli.mjs"), path, ...args], env);
}

/** Runs one of this repository's own scripts, shows what it prints, and gives the last line of it. */
export function runScriptWithLastLine(
  path: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly lastLine: string }> {
  return new Promise((resolve, reject) => {
    const command = [packageScript("tsx", "dist/cli.mjs"), path, ...args];
    const child = spawn(process.execPath, command, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
    let tail = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      process.stdout.write(text);
      tail = (tail + text).slice(-MAX_LINE);
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, lastLine: tail.trimEnd().split("\n").at(-1) ?? "" }));
  });
}

const MAX_LINE = 1_000;
