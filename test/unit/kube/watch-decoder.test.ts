import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { KubeObject } from "../../../src/api/meta.js";
import type { WatchEvent } from "../../../src/kube/client.js";
import { decodeWatch } from "../../../src/kube/watch-decoder.js";

const operation = { verb: "watch", subject: "pods" };

async function* chunksOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const cut of [...new Set([...cuts.map((at) => at % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)) {
    yield bytes.subarray(start, cut);
    start = cut;
  }
}

async function decode(text: string, cuts: readonly number[] = [], maxBytes?: number): Promise<WatchEvent<KubeObject>[]> {
  const events: WatchEvent<KubeObject>[] = [];
  for await (const event of decodeWatch(operation, chunksOf(Buffer.from(text), cuts), maxBytes)) events.push(event);
  return events;
}

const event = (name: string, type = "ADDED"): object => ({ type, object: { metadata: { name, resourceVersion: "1" } } });
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

describe("decodeWatch()", () => {
  test("gives the same events however the bytes are cut, also inside a character", async () => {
    const events = fc.array(
      fc.record({ name: fc.string({ unit: "grapheme" }), type: fc.constantFrom("ADDED", "MODIFIED", "DELETED", "BOOKMARK") }),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    await fc.assert(
      fc.asyncProperty(events, fc.array(fc.nat(2_000)), async (wanted, cuts) => {
        const text = wanted.map(({ name, type }) => line(event(name, type))).join("");
        const seen = await decode(text, cuts);
        expect(seen.map(({ type, object }) => ({ type, name: object.metadata.name }))).toEqual(
          wanted.map(({ name, type }) => ({ type, name })),
        );
      }),
    );
  });

  test("passes over empty lines", async () => {
    expect((await decode(`\n${line(event("a"))}\r\n\n`)).length).toBe(1);
  });

  test("an ERROR event of code 410 says that our place is gone", async () => {
    const status = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version: 1 (2)" };
    await expect(decode(line(event("a")) + line({ type: "ERROR", object: status }))).rejects.toMatchObject({
      kind: "transient",
      code: "KUBE_GONE",
      reason: "Expired",
    });
  });

  test("an ERROR event may say how long to wait", async () => {
    const status = { kind: "Status", code: 429, reason: "TooManyRequests", details: { retryAfterSeconds: 3 } };
    await expect(decode(line({ type: "ERROR", object: status }))).rejects.toMatchObject({ retryAfterMs: 3_000 });
  });

  test.each([
    ["is not JSON", "{oops\n"],
    ["the last event is cut off", line(event("a")).slice(0, -1)],
    ["unknown type", line({ type: "RENAMED", object: { metadata: {} } })],
    ["has no object", line({ type: "ADDED" })],
    ["unknown type", line(null)],
  ])("what makes no sense is a bad reply: %s", async (message, text) => {
    await expect(decode(text)).rejects.toMatchObject({
      kind: "transient",
      code: "KUBE_BAD_REPLY",
      message: expect.stringContaining(message),
    });
  });

  test("refuses a line that never ends", async () => {
    await expect(decode("x".repeat(101), [50], 100)).rejects.toMatchObject({ code: "KUBE_BAD_REPLY" });
    expect((await decode(line(event("a")).repeat(10), [33], 100)).length).toBe(10);
  });
});
