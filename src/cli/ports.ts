import type { Clock } from "../lib/clock.js";
import type { Files } from "../lib/files.js";
import type { ProcessPort } from "../lib/process.js";
import type { Random } from "../lib/random.js";

/** The machine around a command: main.ts gives the real one. */
export interface Ports {
  readonly process: ProcessPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
}
