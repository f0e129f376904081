import type { Clock } from "../lib/clock.js";
import type { Counter, Histogram, Metrics } from "../lib/metrics.js";
import type { Random } from "../lib/random.js";
import type { Credentials } from "./credentials.js";
import { startDeadline, type Deadline } from "./deadline.js";
import { badReply, fromRefusal, fromThrown, type Operation, type Status } from "./failures.js";
import { parseRetryAfterMs, retryDelayMs, type FailedTry } from "./retry-policy.js";
import { TokenBucket } from "./token-bucket.js";
import { WireError, type Wire, type WireResponse } from "./wire.js";
import { writeJson } from "./write-json.js";

/** One request to the API server. */
export interface ApiRequest extends Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

export interface StreamOptions {
  readonly maxMs: number;
  /** Called when the answer has begun. */
  readonly onOpen?: (() => void) | undefined;
}

export interface TransportOptions {
  readonly wire: Wire;
  readonly credentials: Credentials;
  readonly userAgent: string;
  /** Requests a second and at once; 0 means the default of 20 and 40, a negative rate no limit. */
  readonly qps?: number;
  readonly burst?: number;
  /** The longest time from the first try of a request to its answer, retries included. Default 30 s. */
  readonly requestTimeoutMs?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
}

const DEFAULT_QPS = 20;
const DEFAULT_BURST = 40;
const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 256 * 1024 * 1024;
/** Enough of a refusal's body to hold any Status. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
const UNAUTHORIZED = 401;

/** Carries requests over a wire: identity, rate limit, deadline, retries, failures and metrics; knows nothing of kinds. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #limit: TokenBucket;
  readonly #requestTimeoutMs: number;
  readonly #requests: Counter;
  readonly #durations: Histogram;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    this.#limit = new TokenBucket({ perSecond: options.qps || DEFAULT_QPS, burst: options.burst || DEFAULT_BURST, clock: options.clock });
    this.#requests = options.metrics.counter({
      name: "rest_client_requests_total",
      help: "Requests to the API server by method and by HTTP status, <error> where none came back",
      labels: ["code", "method"],
    });
    this.#durations = options.metrics.histogram({
      name: "rest_client_request_duration_seconds",
      help: "Time from sending a request to the headers of its answer",
      labels: ["method"],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30],
    });
  }

  /** Sends a request, again if that is safe and may help, and gives its answer's JSON. */
  async call(request: ApiRequest, signal: AbortSignal): Promise<unknown> {
    await this.#limit.take(signal);
    const deadline = startDeadline(this.#options.clock, this.#requestTimeoutMs, signal);
    try {
      for (let failures = 1; ; failures++) {
        const outcome = await this.#try(request, deadline.signal);
        if (!(outcome instanceof FailedRequest)) {
          deadline.release();
          return outcome;
        }
        await this.#waitForNextTry(outcome, { request, failures, deadline });
      }
    } catch (error) {
      deadline.end();
      signal.throwIfAborted();
      throw fromThrown(request, error);
    }
  }

  /**
   * Sends a request once and gives its answer's bytes as they come. The answer must begin as fast as any other; then it may last `maxMs`,
   * after which it just ends.
   */
  async *stream(request: ApiRequest, { maxMs, onOpen }: StreamOptions, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    await this.#limit.take(signal);
    const deadline = startDeadline(this.#options.clock, this.#requestTimeoutMs, signal);
    let isOpen = false;
    try {
      const response = await this.#send(request, deadline.signal);
      isOpen = true;
      onOpen?.();
      deadline.restart(maxMs);
      yield* response.body;
    } catch (error) {
      signal.throwIfAborted();
      if (isOpen && error === deadline.signal.reason) return;
      throw error instanceof FailedRequest ? error.failure : fromThrown(request, error);
    } finally {
      deadline.end();
    }
  }

  async #try(request: ApiRequest, signal: AbortSignal): Promise<unknown> {
    try {
      const response = await this.#send(request, signal);
      return parseReply(request, await readReply(request, response));
    } catch (error) {
      if (error instanceof FailedRequest) return error;
      if (error instanceof WireError) return new FailedRequest({ type: "wire", failure: error.failure }, fromThrown(request, error));
      throw error;
    }
  }

  async #waitForNextTry(failed: FailedRequest, { request, failures, deadline }: NextTry): Promise<void> {
    const { random, clock } = this.#options;
    const delayMs = retryDelayMs({ failed: failed.how, isRepeatable: request.method === "GET", failures, random });
    if (delayMs === undefined || delayMs >= deadline.leftMs()) throw failed.failure;
    await clock.sleep(delayMs, deadline.signal);
    await this.#limit.take(deadline.signal);
  }

  /** @throws {FailedRequest} when the server refuses */
  async #send(request: ApiRequest, signal: AbortSignal): Promise<WireResponse> {
    let response = await this.#sendOnce(request, signal);
    if (response.status === UNAUTHORIZED) {
      await readRefusal(response);
      this.#options.credentials.renew(); // the token may have been replaced since we read it
      response = await this.#sendOnce(request, signal);
    }
    if (response.status >= 200 && response.status < 300) return response;
    throw await this.#refused(request, response);
  }

  async #sendOnce(request: ApiRequest, signal: AbortSignal): Promise<WireResponse> {
    const { wire, clock } = this.#options;
    const { method, path, body } = request;
    const headers = await this.#headers(request);
    const startMs = clock.monotonicMs();
    try {
      const content = body === undefined ? {} : { body: Buffer.from(writeJson(body)) };
      const response = await wire.send({ method, path, headers, ...content }, signal);
      this.#requests.increment({ code: String(response.status), method });
      return response;
    } catch (error) {
      this.#requests.increment({ code: "<error>", method });
      throw error;
    } finally {
      this.#durations.observe((clock.monotonicMs() - startMs) / 1000, { method });
    }
  }

  async #headers(request: ApiRequest): Promise<Record<string, string>> {
    const headers: Record<string, string> = { accept: "application/json", "user-agent": this.#options.userAgent };
    const authorization = await this.#options.credentials.authorization();
    if (authorization !== undefined) headers["authorization"] = authorization;
    if (request.body !== undefined) headers["content-type"] = request.contentType ?? "application/json";
    return headers;
  }

  async #refused(request: ApiRequest, response: WireResponse): Promise<FailedRequest> {
    const code = response.status;
    const text = await readRefusal(response);
    const status = parseStatus(text);
    const askedMs = parseRetryAfterMs(response.headers["retry-after"], this.#options.clock.nowMs());
    const seconds = status?.details?.retryAfterSeconds;
    const retryAfterMs = askedMs ?? (seconds === undefined ? undefined : seconds * 1000);
    return new FailedRequest({ type: "refusal", code, retryAfterMs }, fromRefusal(request, { code, status, text, retryAfterMs }));
  }
}

interface NextTry {
  readonly request: ApiRequest;
  readonly failures: number;
  readonly deadline: Deadline;
}

/** A try that failed in a way that the retry policy knows; `failure` is what the caller gets if there is no other try. */
class FailedRequest extends Error {
  readonly how: FailedTry;
  readonly failure: unknown;

  constructor(how: FailedTry, failure: unknown) {
    super("the request failed");
    this.how = how;
    this.failure = failure;
  }
}

async function readReply(request: ApiRequest, response: WireResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_REPLY_BYTES) throw badReply(request, `the answer is over ${MAX_REPLY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes).toString("utf8");
}

/** The start of a refusal's body; a connection that breaks here changes nothing about the refusal. */
async function readRefusal(response: WireResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_REFUSAL_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return Buffer.concat(chunks, sizeBytes).toString("utf8");
}

function parseReply(request: ApiRequest, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badReply(request, "the answer is not JSON", error);
  }
}

function parseStatus(text: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && "kind" in parsed && parsed.kind === "Status" ? (parsed as Status) : undefined;
  } catch {
    return undefined; // proxies and the API server's own mux answer in plain text
  }
}
