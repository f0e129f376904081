/**
 * The fence around one life of a process. What reaches the process goes through `deliver`; what it sends must ask `isAlive` first. After a
 * crash nothing of it happens any more: no signal fires, no `finally` runs, no call gets out.
 */
export class Incarnation {
  readonly name: string;
  #state: "running" | "paused" | "dead" = "running";
  #waiting: (() => void)[] = [];
  #atEnd: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get isAlive(): boolean {
    return this.#state !== "dead";
  }

  /** Runs something in the process: now, when it wakes up, or never. */
  deliver(act: () => void): void {
    if (this.#state === "running") act();
    else if (this.#state === "paused") this.#waiting.push(act);
  }

  /** `act` runs when this life ends, outside the process: what the kernel does for it. */
  onEnd(act: () => void): void {
    this.#atEnd.push(act);
  }

  crash(): void {
    if (this.#state === "dead") return;
    this.#state = "dead";
    this.#waiting = [];
    for (const act of this.#atEnd) act();
    this.#atEnd = [];
  }

  /** As SIGSTOP, or a machine that has no time for it. */
  pause(): void {
    if (this.#state === "running") this.#state = "paused";
  }

  /** @returns what came meanwhile, in order, for the caller to deliver one by one */
  resume(): readonly (() => void)[] {
    if (this.#state !== "paused") return [];
    this.#state = "running";
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}
