const FIRST_MS = 10_000;
const MAX_MS = 300_000;
const FORGET_MS = 2 * MAX_MS;

interface Entry {
  readonly delayMs: number;
  readonly updatedAtMs: number;
}

/** The kubelet's delays between tries of one thing: 10 s, doubling to 300 s, forgotten after ten quiet minutes. Source: lab.md */
export class BackOff {
  readonly #entries = new Map<string, Entry>();

  /** How long to wait still after something happened at `eventMs`; 0: not at all. */
  remainingMs(key: string, eventMs: number, nowMs: number): number {
    const entry = this.#entries.get(key);
    if (entry === undefined || eventMs - entry.updatedAtMs > FORGET_MS) return 0;
    return Math.max(0, eventMs + entry.delayMs - nowMs);
  }

  /** Notes a try: the next one waits longer. */
  next(key: string, eventMs: number, nowMs: number): void {
    const entry = this.#entries.get(key);
    const isFirst = entry === undefined || eventMs - entry.updatedAtMs > FORGET_MS;
    this.#entries.set(key, { delayMs: isFirst ? FIRST_MS : Math.min(MAX_MS, entry.delayMs * 2), updatedAtMs: nowMs });
  }

  /** When the last try of a thing was, if one is remembered. */
  lastMs(key: string): number | undefined {
    return this.#entries.get(key)?.updatedAtMs;
  }
}
