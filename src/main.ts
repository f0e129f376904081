import { runCommand } from "./cli/command.js";
import { failureMessage } from "./lib/failure.js";
import { systemClock } from "./lib/clock.js";
import { systemFiles } from "./lib/files.js";
import { EXIT_FAILURE } from "./lib/process.js";
import { systemRandom } from "./lib/random.js";

/** The process: reads arguments, environment and signals. Nothing else does. */
const stop = new AbortController();

for (const name of ["SIGTERM", "SIGINT"] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(EXIT_FAILURE);
    stop.abort(new Error(`${name} received`));
  });
}

let tellUncaught = (failure: unknown): void => void process.stderr.write(`podmend: ${failureMessage(failure)}\n`);
function breakDown(failure: unknown): never {
  tellUncaught(failure);
  process.exit(EXIT_FAILURE);
}
process.on("uncaughtException", breakDown);
process.on("unhandledRejection", breakDown);

const exitCode = runCommand(
  {
    process: {
      args: process.argv.slice(2),
      env: process.env,
      pid: process.pid,
      nodeVersion: process.version,
      isTerminal: process.stdout.isTTY,
      writeOut: (text) => void process.stdout.write(text),
      writeError: (text) => void process.stderr.write(text),
      onUncaught: (tell) => {
        tellUncaught = tell;
      },
    },
    clock: systemClock,
    random: systemRandom,
    files: systemFiles,
  },
  stop.signal,
);
// What is left over may not keep the process: everything that had to end has ended.
void exitCode.then((code) => process.exit(code));
