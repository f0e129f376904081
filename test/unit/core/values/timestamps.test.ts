import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseTimestampMs, toRfc3339Seconds } from "../../../../src/core/values/timestamps.js";

const BASE_MS = Date.UTC(2025, 0, 2, 3, 4, 5);

test("toRfc3339Seconds() drops what is below a second", () => {
  expect([toRfc3339Seconds(BASE_MS), toRfc3339Seconds(BASE_MS + 999), toRfc3339Seconds(-1)]).toEqual([
    "2025-01-02T03:04:05Z",
    "2025-01-02T03:04:05Z",
    "1969-12-31T23:59:59Z",
  ]);
});

describe("parseTimestampMs()", () => {
  for (const { text, want } of [
    { text: "2025-01-02T03:04:05Z", want: BASE_MS },
    { text: "2025-01-02T04:04:05+01:00", want: BASE_MS },
    { text: "2025-01-01T21:34:05-05:30", want: BASE_MS },
    { text: "2025-01-02T03:04:05.123456Z", want: BASE_MS + 123 },
    { text: "2025-01-02T03:04:05.1Z", want: BASE_MS + 100 },
    { text: "2024-02-29T00:00:00Z", want: Date.UTC(2024, 1, 29) },
    { text: "0001-01-01T00:00:00Z", want: -62_135_596_800_000 },
  ]) {
    test(`parseTimestampMs() reads ${text}`, () => {
      expect(parseTimestampMs(text)).toBe(want);
    });
  }

  for (const text of [
    "",
    "2025-01-02",
    "2025-01-02T03:04:05",
    "2025-02-30T00:00:00Z",
    "2025-13-01T00:00:00Z",
    "2025-01-02T24:00:00Z",
    "2025-01-02T03:04:60Z",
    "2025-01-02T03:04:05+24:00",
    "Thu, 02 Jan 2025",
    "2025-01-02T03:04:05Z\n",
  ]) {
    test(`parseTimestampMs() refuses ${JSON.stringify(text)}`, () => {
      expect(parseTimestampMs(text)).toBeUndefined();
    });
  }

  test("parseTimestampMs() reads what toRfc3339Seconds() writes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -62_000_000_000, max: 250_000_000_000 }),
        (s) => parseTimestampMs(toRfc3339Seconds(s * 1000)) === s * 1000,
      ),
    );
  });

  test("parseTimestampMs() never throws", () => {
    const almost = fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([+-]\d\d:\d\d|Z)$/);
    fc.assert(fc.property(fc.oneof(fc.string(), almost), (text) => ["number", "undefined"].includes(typeof parseTimestampMs(text))));
  });
});
