import { type Wire, WireError, type WireRequest, type WireResponse } from "../../../src/kube/wire.js";
import type { ApiFront, FrontReply } from "../../../src/sim/api-server/api-front.js";
import type { Phase } from "../journal.js";
import { ByteStream } from "../machine/byte-stream.js";
import type { Incarnation } from "../machine/incarnation.js";
import type { SeededRandom } from "../../support/seeded-random.js";
import type { Timeline } from "../machine/timeline.js";
import type { Interception, OnStep } from "./interception.js";
import type { Link } from "./link.js";
import { never } from "./never.js";
import { stepOfRequest } from "./steps.js";

/** The server at the other end, while it is up. */
export interface ApiEndpoint {
  isUp: boolean;
  readonly front: ApiFront;
}

export interface ApiWireOptions {
  readonly component: "agent" | "controller";
  readonly timeline: Timeline;
  readonly incarnation: Incarnation;
  readonly random: SeededRandom;
  readonly link: Link;
  readonly endpoint: () => ApiEndpoint;
  readonly onStep: OnStep;
  /** Is told of every whole answer and every event of a watch, as its last byte arrives. */
  readonly onDelivered: (text: string, path: string) => void;
}

const REFUSED_AFTER_MS = 1;
const MAX_PIECES = 3;

/** Requests to a model of the API server as the bytes they are, over a link that delays, splits, breaks and falls silent. */
export class ApiWire implements Wire {
  readonly #options: ApiWireOptions;
  readonly #open = new Set<Exchange>();

  constructor(options: ApiWireOptions) {
    this.#options = options;
    options.incarnation.onEnd(() => {
      for (const exchange of this.#open) exchange.hangUp();
    });
  }

  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const { incarnation } = this.#options;
    if (!incarnation.isAlive) return never();
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const exchange = new Exchange(request, this.#options, () => this.#open.delete(exchange));
    this.#open.add(exchange);
    return exchange.run(signal);
  }

  async close(): Promise<void> {
    // Nothing is kept between exchanges: what is open hangs on its own signal.
  }
}

/** One request and its answer. */
class Exchange {
  readonly #request: WireRequest;
  readonly #options: ApiWireOptions;
  readonly #step: string;
  readonly #onOver: () => void;
  readonly #body = new ByteStream();
  #resolve: (response: WireResponse) => void = () => undefined;
  #reject: (failure: unknown) => void = () => undefined;
  #stopWatch: () => void = () => undefined;
  #untrack: () => void = () => undefined;
  /** Nothing that arrives later may overtake what was sent before it. */
  #lastArrivalMs = 0;
  #isOver = false;

  constructor(request: WireRequest, options: ApiWireOptions, onOver: () => void) {
    this.#request = request;
    this.#options = options;
    this.#onOver = onOver;
    const { method, path, body } = request;
    this.#step = stepOfRequest({
      component: options.component,
      method,
      path,
      text: body === undefined ? "" : Buffer.from(body).toString("utf8"),
    });
  }

  run(signal: AbortSignal): Promise<WireResponse> {
    const { link, incarnation } = this.#options;
    const outcome = new Promise<WireResponse>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#untrack = link.track((failure) => this.#break(failure));
    signal.addEventListener("abort", () => this.#close(signal.reason), { once: true });
    const interception = this.#tell("before");
    if (incarnation.isAlive) this.#depart(interception);
    return outcome;
  }

  /** Nothing comes or goes any more: it is over, or the process is gone and with it its end of the connection. */
  hangUp(): void {
    this.#isOver = true;
    this.#untrack();
    this.#stopWatch();
    this.#onOver();
  }

  #depart(interception: Interception | undefined): void {
    const { link, timeline } = this.#options;
    if (interception?.type === "drop") {
      timeline.after(this.#travelMs(), () => link.cut("the connection was reset"));
      return;
    }
    timeline.after(this.#travelMs(), () => this.#arrive(interception));
  }

  #arrive(interception: Interception | undefined): void {
    const { link, endpoint, timeline } = this.#options;
    if (link.isSilent) return;
    if (link.isDown || !endpoint().isUp) {
      timeline.after(REFUSED_AFTER_MS, () => this.#fail("unreachable", "connect ECONNREFUSED"));
      return;
    }
    // A client that hung up while its request was on the way may have been heard.
    if (this.#isOver && this.#request.method === "GET") return;
    if (interception?.type === "refuse") {
      this.#refuse(interception);
      return;
    }
    const { method, path, headers, body } = this.#request;
    const reply = endpoint().front.answer({ method, path, headers, body: body ?? new Uint8Array() });
    this.#tell("applied");
    if (interception?.type === "lose-reply") link.cut("the connection was reset");
    else this.#answer(reply);
  }

  #refuse({ code, reason, retryAfterSeconds }: Interception & { type: "refuse" }): void {
    const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", message: "a planned refusal", reason, details, code };
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
    this.#respond(code, headers);
    this.#sendPieces(JSON.stringify(status));
    this.#finish();
  }

  #answer(reply: FrontReply): void {
    if (reply.type === "whole") {
      this.#respond(reply.code, { "content-type": reply.contentType });
      this.#sendPieces(reply.text);
      this.#finish();
      return;
    }
    this.#respond(200, { "content-type": "application/json" });
    if (this.#isOver) return;
    const { link } = this.#options;
    this.#stopWatch = reply.start({
      event: (event) => this.#sendPieces(`${JSON.stringify(event)}\n`, link.watchLagMs),
      end: () => this.#finish(),
    });
  }

  #respond(status: number, headers: Readonly<Record<string, string>>): void {
    this.#deliver(() => {
      this.#tell("received", String(status));
      if (this.#isOver || !this.#options.incarnation.isAlive) return;
      this.#resolve({ status, headers, body: this.#body });
    });
  }

  #sendPieces(text: string, lagMs = 0): void {
    const { random, onDelivered } = this.#options;
    const bytes = Buffer.from(text);
    const cuts = Array.from({ length: random.between(0, MAX_PIECES - 1) }, () => random.between(0, bytes.length)).sort((a, b) => a - b);
    for (const [index, end] of [...cuts, bytes.length].entries()) {
      const start = index === 0 ? 0 : (cuts[index - 1] ?? 0);
      // Pieces after it, if any, are empty.
      const hasLastByte = start < bytes.length && end === bytes.length;
      this.#deliver(() => {
        if (hasLastByte) onDelivered(text, this.#request.path);
        this.#body.push(bytes.subarray(start, end));
      }, lagMs);
    }
  }

  #finish(): void {
    this.#deliver(() => {
      this.hangUp();
      this.#body.end();
    });
  }

  /** From the server to the process, in order. */
  #deliver(act: () => void, lagMs = 0): void {
    const { timeline, incarnation, link } = this.#options;
    if (link.isSilent) return;
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, timeline.nowMs + lagMs + this.#travelMs());
    timeline.at(this.#lastArrivalMs, () => {
      if (this.#isOver || link.isSilent) return;
      incarnation.deliver(() => (this.#isOver ? undefined : act()));
    });
  }

  #break(failure: string): void {
    this.#stopWatch();
    this.#options.incarnation.deliver(() => this.#fail("broken", failure));
  }

  #fail(how: "unreachable" | "broken", message: string): void {
    const failure = new WireError(how, message);
    this.#options.incarnation.deliver(() => this.#close(failure));
  }

  #close(reason: unknown): void {
    this.hangUp();
    this.#reject(reason);
    this.#body.break(reason);
  }

  #tell(phase: Phase, outcome?: string): Interception | undefined {
    const { incarnation, onStep } = this.#options;
    const subject = `${this.#request.method} ${this.#request.path}`;
    return onStep({ step: this.#step, phase, actor: incarnation.name, subject, ...(outcome === undefined ? {} : { outcome }) });
  }

  #travelMs(): number {
    const { random, link } = this.#options;
    const usual = random.next() < 0.97 ? random.within(0.2, 4) : random.within(4, 250);
    return usual + link.distanceMs + link.extraDelayMs;
  }
}
