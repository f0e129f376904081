import type { JsonObject } from "./json.js";

/** The requests that a fault hits. */
export interface FaultMatch {
  readonly method?: string;
  /** Tested against path and query. */
  readonly path?: RegExp;
  /** How many requests it hits before it is spent; default: one. */
  readonly times?: number;
}

/**
 * status: refuse. reset: cut the TCP connection at once. hang: take the request and never answer. cutAfterReply: do what the request asks,
 * then cut the connection instead of answering.
 */
export type FaultAction =
  | { readonly type: "status"; readonly code: number; readonly reason?: string; readonly retryAfterSeconds?: number }
  | { readonly type: "reset" }
  | { readonly type: "hang" }
  | { readonly type: "cutAfterReply" };

interface Planned {
  readonly match: FaultMatch;
  readonly action: FaultAction;
  left: number;
}

/** What is to go wrong. Faults are tried in the order in which they were added. */
export class Faults {
  readonly #planned: Planned[] = [];

  add(match: FaultMatch, action: FaultAction): void {
    this.#planned.push({ match, action, left: match.times ?? 1 });
  }

  clear(): void {
    this.#planned.length = 0;
  }

  /** The fault that hits this request, if any; counts as one hit. */
  take(method: string, path: string): FaultAction | undefined {
    const hit = this.#planned.find(({ match, left }) => {
      return left > 0 && (match.method ?? method) === method && (match.path?.test(path) ?? true);
    });
    if (hit !== undefined) hit.left--;
    return hit?.action;
  }
}

/** The Status of a planned refusal. */
export function faultStatus({ code, reason = "Injected", retryAfterSeconds }: FaultAction & { type: "status" }): JsonObject {
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: "Status", apiVersion: "v1", status: "Failure", message: "a planned fault", reason, details, code };
}
