type Format = "binary" | "decimal" | "exponent";

/** An amount of a resource, exact to 10⁻⁹. */
export interface Quantity {
  /** Units: billionths of the resource's unit. */
  readonly nanos: bigint;
  readonly format: Format;
  /** The text that Kubernetes prints for it. */
  readonly canonical: string;
}

const PATTERN = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d{1,3}))$/;
const DECIMAL_EXPONENTS = new Map(Object.entries({ n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }));
const DECIMAL_SUFFIXES = new Map([...DECIMAL_EXPONENTS].map(([suffix, exponent]) => [exponent, suffix]));
const BINARY_UNITS = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const NANOS = 10n ** 9n;
const NANOS_PER_MILLI = 10n ** 6n;
const MAX_BINARY = (2n ** 63n - 1n) * NANOS;
// Far above any resource; keeps the numbers below small whatever somebody writes.
const MAX_EXPONENT = 64;
// Above this many digits Kubernetes computes with big numbers, and then never keeps the text as it was written.
const MAX_FAST_DIGITS = 18;

/**
 * Reads a quantity such as `100m`, `1.5Gi`, `1e3` or `0.1`; what is finer than a billionth is rounded away from zero.
 * @returns undefined when the text is no quantity, or has an exponent beyond ±64
 * Source: the format of k8s.io/apimachinery@v0.35.4 pkg/api/resource.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const written = readWritten(text);
  if (written === undefined) return undefined;
  const exact = exactNanos(written);
  const nanos = written.format === "binary" ? clamp(exact, MAX_BINARY) : exact;
  const canonical = keepsItsText(written) ? text : formatNanos(nanos, written.format);
  return { nanos, format: written.format, canonical };
}

/**
 * What Kubernetes prints after reading this JSON value as a quantity: `1024Ki` becomes `1Mi`, 0.5 becomes `500m`, null becomes `0`.
 * @returns undefined when the value is no quantity
 */
export function canonicalQuantity(value: unknown): string | undefined {
  if (value === null) return "0";
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return parseQuantity(String(value).trim())?.canonical;
}

/** As `canonicalQuantity`, rounded up to a thousandth first: what the API does to the amounts of limits and requests. */
export function canonicalResourceAmount(value: unknown): string | undefined {
  const canonical = canonicalQuantity(value);
  const quantity = canonical === undefined ? undefined : parseQuantity(canonical);
  if (quantity === undefined || quantity.nanos % NANOS_PER_MILLI === 0n) return canonical;
  return formatNanos(divideAwayFromZero(quantity.nanos, NANOS_PER_MILLI) * NANOS_PER_MILLI, quantity.format);
}

interface Written {
  readonly negative: boolean;
  /** Digits before the point, without leading zeros. */
  readonly whole: string;
  /** Digits after the point. */
  readonly fraction: string;
  readonly format: Format;
  /** Of 1024 for binary quantities, of 10 for the others. */
  readonly exponent: number;
}

function readWritten(text: string): Written | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, sign, digits, fraction, binary, decimal, exponentText] = match;
  const number = { negative: sign === "-", whole: digits?.replace(/^0+/, "") || "0", fraction: fraction ?? "" };
  if (binary !== undefined) return { ...number, format: "binary", exponent: BINARY_UNITS.indexOf(binary) };
  if (exponentText === undefined) return { ...number, format: "decimal", exponent: DECIMAL_EXPONENTS.get(String(decimal)) ?? 0 };
  const exponent = Number(exponentText);
  return Math.abs(exponent) > MAX_EXPONENT ? undefined : { ...number, format: "exponent", exponent };
}

function exactNanos({ negative, whole, fraction, format, exponent }: Written): bigint {
  const mantissa = BigInt(whole + fraction) * (format === "binary" ? 1024n ** BigInt(exponent) : 1n);
  const scale = 9 - fraction.length + (format === "binary" ? 0 : exponent);
  const nanos = scale >= 0 ? mantissa * 10n ** BigInt(scale) : divideAwayFromZero(mantissa, 10n ** BigInt(-scale));
  return negative ? -nanos : nanos;
}

// Kubernetes keeps the text it read when a quick look says that it is canonical already. The look is not exact (`1.001`
// stays, although `1001m` is canonical), and the text it keeps is part of a revision's bytes.
function keepsItsText({ whole, fraction, format, exponent }: Written): boolean {
  const digits = whole + fraction;
  if (format === "binary") {
    const isFast = fraction === "" && whole.length + exponent * 3 + 1 <= 15;
    return isFast && Number(whole) % 8 !== 0;
  }
  const scale = exponent - fraction.length;
  const isFast = digits.length <= MAX_FAST_DIGITS && scale >= -9;
  return isFast && scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

function formatNanos(nanos: bigint, format: Format): string {
  if (nanos === 0n) return "0";
  const isWhole = nanos % NANOS === 0n;
  if (format === "binary" && isWhole && magnitude(nanos) >= 1024n * NANOS) return formatBinary(nanos / NANOS);
  return formatDecimal(nanos, format === "exponent");
}

function formatBinary(amount: bigint): string {
  let mantissa = amount;
  let unit = 0;
  while (mantissa % 1024n === 0n && unit < BINARY_UNITS.length - 1) {
    mantissa /= 1024n;
    unit++;
  }
  return `${mantissa}${BINARY_UNITS[unit] ?? ""}`;
}

function formatDecimal(nanos: bigint, asExponent: boolean): string {
  let mantissa = nanos;
  let exponent = -9;
  while (mantissa % 1000n === 0n && (asExponent || exponent < 18)) {
    mantissa /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
  return `${mantissa}${DECIMAL_SUFFIXES.get(exponent) ?? ""}`;
}

function divideAwayFromZero(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (dividend % divisor === 0n) return quotient;
  return quotient + (dividend < 0n ? -1n : 1n);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function clamp(value: bigint, limit: bigint): bigint {
  if (magnitude(value) <= limit) return value;
  return value < 0n ? -limit : limit;
}
