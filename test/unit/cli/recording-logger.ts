import type { LogFields, Logger } from "../../../src/lib/logger.js";

/** One line that was logged. */
export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps what it is told. */
export function recordingLogger(lines: Logged[] = [], base: LogFields = {}): Logger & { readonly lines: readonly Logged[] } {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ level, message, fields: { ...base, ...fields } });
  return {
    lines,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isDebugEnabled: () => true,
    child: (fields) => recordingLogger(lines, { ...base, ...fields }),
  };
}
