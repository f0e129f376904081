import type { LogFields, Logger } from "../../../src/lib/logger.js";
import type { Journal } from "../journal.js";
import type { Incarnation } from "../machine/incarnation.js";
import { failureMessage } from "../../../src/lib/failure.js";

/** Writes what a process logs into the journal; a dead process logs nothing. */
export function journalLogger(journal: Journal, incarnation: Incarnation): Logger {
  const write =
    (level: "info" | "warn" | "error") =>
    (message: string, fields: LogFields = {}): void => {
      if (incarnation.isAlive)
        journal.add({ type: "log", actor: incarnation.name, level, message, fields: JSON.stringify(fields, withFailures) });
    };
  const logger: Logger = {
    debug: () => undefined,
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    isDebugEnabled: () => false,
    child: () => logger,
  };
  return logger;
}

function withFailures(_key: string, value: unknown): unknown {
  return value instanceof Error ? failureMessage(value) : value;
}
