import type { Environment, ParseResult } from "@marcbachmann/cel-js";

/** Evaluates expressions in CEL, as the API server does for schemas and admission policies. */
export interface CelEngine {
  /** @throws {Error} if the expression cannot be read, or meets a value that it cannot deal with */
  evaluate(expression: string, activation: Readonly<Record<string, unknown>>): unknown;
}

/** Loads the library behind it, which no process in a cluster may hold. Each expression is read once. @throws {TypeError} if it is not installed */
export async function loadCel(): Promise<CelEngine> {
  const { Environment: CelEnvironment } = await import("@marcbachmann/cel-js").catch((error: unknown) => {
    throw new TypeError("Cannot load @marcbachmann/cel-js: not installed; run npm ci where package.json is", { cause: error });
  });
  return new CachedExpressions(new CelEnvironment({ unlistedVariablesAreDyn: true }));
}

class CachedExpressions implements CelEngine {
  readonly #environment: Environment;
  readonly #parsed = new Map<string, ParseResult>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  evaluate(expression: string, activation: Readonly<Record<string, unknown>>): unknown {
    let parsed = this.#parsed.get(expression);
    if (parsed === undefined) {
      parsed = this.#environment.parse(expression);
      this.#parsed.set(expression, parsed);
    }
    return parsed(activation);
  }
}
