const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** The time as Kubernetes writes it: RFC 3339, UTC, whole seconds (rounded down). @param timeMs within the years 0 to 9999 */
export function toRfc3339Seconds(timeMs: number): string {
  return `${new Date(Math.floor(timeMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/**
 * Reads an RFC 3339 time with any offset and any number of fraction digits (below a millisecond they are dropped).
 * @returns milliseconds since the epoch; undefined when the text is not such a time, an impossible date included
 */
export function parseTimestampMs(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = match;
  const wallText = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const wallMs = Date.parse(`${wallText}Z`);
  // Some impossible dates, such as 30 February, are carried over by Date instead of being refused.
  if (Number.isNaN(wallMs) || !new Date(wallMs).toISOString().startsWith(wallText)) return undefined;
  const offsetMs = offsetMsOf(sign, offsetHour, offsetMinute);
  if (offsetMs === undefined) return undefined;
  return wallMs - offsetMs + Number((fraction ?? "").padEnd(3, "0").slice(0, 3));
}

function offsetMsOf(sign: string | undefined, hour: string | undefined, minute: string | undefined): number | undefined {
  if (sign === undefined) return 0;
  const hours = Number(hour);
  const minutes = Number(minute);
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
