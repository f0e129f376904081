import { createLogger as createWinstonLogger, format, transports, type Logger as WinstonLogger } from "winston";
import type { LogFields, Logger } from "../lib/logger.js";
import { printable } from "./redaction.js";

/** How logs are written. */
export interface LoggerOptions {
  /** klog's numbers: 0 errors and warnings matter as much as info; from 4 on debug lines are written too. */
  readonly verbosity: number;
  readonly format: "json" | "text";
  /** On every line. */
  readonly fields: LogFields;
  /** Where lines go instead of standard output, for tests. */
  readonly stream?: NodeJS.WritableStream;
}

const DEBUG_VERBOSITY = 4;
const REPLACED_KEYS: readonly string[] = ["time", "level", "msg"];

/** The process's logger: one line a fact, secrets redacted by key at any depth. */
export function createLogger(options: LoggerOptions): Logger {
  const winston = createWinstonLogger({
    level: options.verbosity >= DEBUG_VERBOSITY ? "debug" : "info",
    levels: { error: 0, warn: 1, info: 2, debug: 3 },
    format: format.printf((line) => line.message as string),
    transports: [options.stream === undefined ? new transports.Console() : new transports.Stream({ stream: options.stream })],
  });
  return new LineLogger(winston, options.format === "json" ? jsonLine : textLine, options.fields);
}

type Level = "debug" | "info" | "warn" | "error";
type LineFormat = (time: string, level: Level, line: { readonly message: string; readonly fields: LogFields }) => string;

class LineLogger implements Logger {
  readonly #winston: WinstonLogger;
  readonly #format: LineFormat;
  readonly #fields: LogFields;

  constructor(winston: WinstonLogger, lineFormat: LineFormat, fields: LogFields) {
    this.#winston = winston;
    this.#format = lineFormat;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    if (this.isDebugEnabled()) this.#write("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write("error", message, fields);
  }

  isDebugEnabled(): boolean {
    return this.#winston.level === "debug";
  }

  child(fields: LogFields): Logger {
    return new LineLogger(this.#winston, this.#format, { ...this.#fields, ...fields });
  }

  #write(level: Level, message: string, fields: LogFields = {}): void {
    const all = printable({ ...this.#fields, ...fields }) as LogFields;
    this.#winston.log(level, this.#format(new Date(this.#nowMs()).toISOString(), level, { message, fields: all }));
  }

  // The log stamps real time even where a test owns the product's clock: a line says when it was written.
  #nowMs(): number {
    return performance.timeOrigin + performance.now();
  }
}

function jsonLine(time: string, level: Level, { message, fields }: { readonly message: string; readonly fields: LogFields }): string {
  const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => !REPLACED_KEYS.includes(key)));
  return JSON.stringify({ time, level, msg: message, ...rest });
}

function textLine(time: string, level: Level, { message, fields }: { readonly message: string; readonly fields: LogFields }): string {
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [time, level.toUpperCase().padEnd(5), message, ...rest].join(" ");
}
