/** Virtual time: events in order of time, then of scheduling. One event, then every microtask that follows from it, then the next one. */
export class Timeline {
  readonly #heap: TimedEvent[] = [];
  #nowMs = 0;
  #sequence = 0;
  #executed = 0;

  /** Since the start of the run. Units: milliseconds, with fractions. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Events that have run so far. */
  get executed(): number {
    return this.#executed;
  }

  /** Runs `act` after a delay, unless the returned function is called before. */
  after(delayMs: number, act: () => void): () => void {
    return this.at(this.#nowMs + Math.max(0, delayMs), act);
  }

  /** The same at a time, or now if that has passed. What is to keep its order needs it: a difference of two times is rounded. */
  at(atMs: number, act: () => void): () => void {
    const event: TimedEvent = { atMs: Math.max(this.#nowMs, atMs), sequence: ++this.#sequence, act };
    push(this.#heap, event);
    return () => {
      event.act = undefined;
    };
  }

  /** Runs events until the time has come, or `isDone` says so after one. `settle` must resolve when no microtask is left. */
  async runUntil(endMs: number, settle: () => Promise<void>, isDone: () => boolean = () => false): Promise<void> {
    while (!isDone()) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > endMs) break;
      pop(this.#heap);
      if (next.act === undefined) continue;
      this.#nowMs = next.atMs;
      this.#executed++;
      next.act();
      await settle();
    }
    if (!isDone()) this.#nowMs = Math.max(this.#nowMs, endMs);
  }
}

interface TimedEvent {
  readonly atMs: number;
  readonly sequence: number;
  /** Undefined once cancelled. */
  act: (() => void) | undefined;
}

function isBefore(a: TimedEvent, b: TimedEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);
}

function push(heap: TimedEvent[], event: TimedEvent): void {
  let index = heap.length;
  heap.push(event);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(event, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = event;
}

function pop(heap: TimedEvent[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const right = left + 1;
    const child = heap[right] !== undefined && heap[left] !== undefined && isBefore(heap[right], heap[left]) ? right : left;
    const below = heap[child];
    if (below === undefined || !isBefore(below, last)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
}
