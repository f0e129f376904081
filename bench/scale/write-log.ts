/** Who wrote: our two processes, the models' kubelets, and the bare client that is the floor. */
export type Actor = "controller" | "agent" | "kubelet" | "bare" | "other";

/** One write that the API server was asked for. */
export interface Write {
  /** Units: milliseconds of the API model's own clock. */
  readonly atMs: number;
  readonly actor: Actor;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
}

/** Counts of a log, by actor and plural. */
export type WriteCounts = Readonly<Record<string, number>>;

/** Every write since the last `clear`. */
export class WriteLog {
  #writes: Write[] = [];

  add({ path, code, userAgent }: { method: string; path: string; code: number; userAgent: string }): void {
    this.#writes.push({ atMs: performance.now(), actor: actorOf(userAgent), code, ...subjectOf(path) });
  }

  all(): readonly Write[] {
    return this.#writes;
  }

  clear(): void {
    this.#writes = [];
  }
}

/** How many writes each actor made of each kind, such as `controller pods`; refused ones apart, such as `controller pods 409`. */
export function countWrites(writes: readonly Write[]): WriteCounts {
  const counts: Record<string, number> = {};
  for (const { actor, plural, code } of writes) {
    const name = `${actor} ${plural}${code < REFUSED_FROM ? "" : ` ${String(code)}`}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const REFUSED_FROM = 400;

function actorOf(userAgent: string): Actor {
  const [, component] = /\((\w+)\)$/.exec(userAgent) ?? [];
  return component === "controller" || component === "agent" || component === "kubelet" || component === "bare" ? component : "other";
}

function subjectOf(path: string): Pick<Write, "plural" | "namespace" | "name"> {
  const [, , , ...rest] = path
    .replace(/\?.*$/, "")
    .replace(/^\/api\//, "/apis/core/")
    .split("/");
  const [first = "", second = "", ...inner] = rest.slice(1);
  return first === "namespaces" && inner.length > 0
    ? { namespace: second, plural: inner[0] ?? "", name: inner[1] ?? "" }
    : { namespace: "", plural: first, name: second };
}
