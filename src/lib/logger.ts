/** Facts beside a log message. Never env values, secrets or whole objects. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logging as a port. The message is a constant in the present tense; everything variable is a field. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** True if debug lines are written; ask before building costly fields. */
  isDebugEnabled(): boolean;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  isDebugEnabled: () => false,
  child: () => silentLogger,
};
