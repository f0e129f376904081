import { type CriTransport, type UnaryOptions, WireFailure } from "../../../src/cri/wire.js";
import type { RuntimeWorld } from "../../../src/sim/runtime/runtime-world.js";
import { type ByteMethod, byteMethods } from "../../../src/sim/runtime/service-bytes.js";
import { noEvents, statusOf } from "../../../src/sim/runtime/service-calls.js";
import type { Phase } from "../journal.js";
import type { Incarnation } from "../machine/incarnation.js";
import type { SeededRandom } from "../../support/seeded-random.js";
import type { Timeline } from "../machine/timeline.js";
import type { OnStep } from "./interception.js";
import type { Link } from "./link.js";
import { never } from "./never.js";
import { stepOfCall } from "./steps.js";

export interface CriWireOptions {
  readonly timeline: Timeline;
  readonly incarnation: Incarnation;
  readonly random: SeededRandom;
  /** The runtime's socket: down while the runtime is. */
  readonly link: Link;
  readonly world: RuntimeWorld;
  readonly onStep: OnStep;
}

const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;

/** Calls of a model of the runtime as the bytes they are. */
export class CriWire implements CriTransport {
  readonly #options: CriWireOptions;
  readonly #methodOf: (path: string) => ByteMethod;
  readonly #open = new Set<AbortController>();

  constructor(options: CriWireOptions) {
    this.#options = options;
    this.#methodOf = byteMethods(options.world);
    options.incarnation.onEnd(() => {
      for (const call of this.#open) call.abort(new Error("the client went away"));
    });
  }

  unary(path: string, request: Uint8Array, { timeoutMs, signal }: UnaryOptions): Promise<Uint8Array> {
    const { incarnation, timeline, link } = this.#options;
    if (!incarnation.isAlive) return never();
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const method = this.#methodOf(path);
    return new Promise((resolve, reject) => {
      const call = new AbortController();
      this.#open.add(call);
      const subject = subjectOf(method, request);
      const end = (outcome: () => void): void => {
        if (!this.#open.delete(call)) return;
        cancelDeadline();
        untrack();
        signal.removeEventListener("abort", onAbort);
        call.abort(new Error("the call has ended"));
        outcome();
      };
      const fail = (status: number, details: string): void =>
        incarnation.deliver(() => end(() => reject(new WireFailure(status, details))));
      const onAbort = (): void => end(() => reject(signal.reason as Error));
      signal.addEventListener("abort", onAbort, { once: true });
      const cancelDeadline = timeline.after(timeoutMs, () => fail(DEADLINE_EXCEEDED, "Deadline exceeded"));
      const untrack = link.track((failure) => fail(UNAVAILABLE, failure));
      const interception = this.#tell(method, "before", subject);
      if (!incarnation.isAlive) return;
      timeline.after(this.#travelMs(), () => {
        if (link.isDown) {
          fail(UNAVAILABLE, "connect ENOENT");
          return;
        }
        if (interception?.type === "drop") {
          link.cut("read ECONNRESET");
          return;
        }
        void this.#serve(method, { request, subject, call }).then(
          (reply) => {
            if (interception?.type === "lose-reply") link.cut("read ECONNRESET");
            else this.#later(() => end(() => resolve(reply)), { method, subject, outcome: "OK" });
          },
          (error: unknown) => {
            const { code, details } = statusOf(error);
            this.#later(() => end(() => reject(new WireFailure(code, details))), { method, subject, outcome: String(code) });
          },
        );
      });
    });
  }

  // eslint-disable-next-line require-yield -- no runtime that we know of has both events and a use for them here
  async *serverStream(): AsyncGenerator<Uint8Array, void, undefined> {
    const { code, details } = statusOf(noEvents());
    throw new WireFailure(code, details);
  }

  close(): void {
    for (const call of this.#open) call.abort(new Error("the connection was closed"));
  }

  async #serve(
    method: ByteMethod,
    { request, subject, call }: { request: Uint8Array; subject: string; call: AbortController },
  ): Promise<Uint8Array> {
    const reply = await method.call(request, call.signal);
    this.#tell(method, "applied", subject);
    return reply;
  }

  #later(act: () => void, { method, subject, outcome }: { method: ByteMethod; subject: string; outcome: string }): void {
    const { timeline, incarnation } = this.#options;
    timeline.after(this.#travelMs(), () =>
      incarnation.deliver(() => {
        this.#tell(method, "received", subject, outcome);
        if (incarnation.isAlive) act();
      }),
    );
  }

  #tell({ name }: ByteMethod, phase: Phase, subject: string, outcome?: string): ReturnType<OnStep> {
    const { incarnation, onStep } = this.#options;
    return onStep({ step: stepOfCall(name), phase, actor: incarnation.name, subject, ...(outcome === undefined ? {} : { outcome }) });
  }

  #travelMs(): number {
    const { random, link } = this.#options;
    return (random.next() < 0.97 ? random.within(0.1, 2) : random.within(2, 80)) + link.extraDelayMs;
  }
}

/** The container or image that a call is about. */
function subjectOf(method: ByteMethod, request: Uint8Array): string {
  const fields = method.read(request) as { containerId?: string; image?: { image?: string } | null };
  return fields.containerId ?? fields.image?.image ?? "";
}
