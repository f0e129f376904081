const SECRET_KEY =
  /^(authorization|auth|password|passwd|token|identitytoken|registrytoken|bearer|secret|clientsecret|\.?dockerconfigjson|\.?dockercfg|credentials?)$/i;
const REDACTED = "[redacted]";
const MAX_DEPTH = 6;

/**
 * Copies a log value so that it can be printed: secrets by key replaced at any depth, errors as plain objects with their causes,
 * bigints as text, cycles and anything deeper than six levels cut.
 */
export function printable(value: unknown): unknown {
  return copy(value, 0, new Set());
}

/** An error as the log shows it; the stack only for what no adapter made, nor caused a failure of one, because that is a bug. */
function describe(
  error: Error,
  { depth, isExplained }: { readonly depth: number; readonly isExplained: boolean },
): Record<string, unknown> {
  const { name, message, stack } = error;
  const { kind, code } = error as { kind?: unknown; code?: unknown };
  const described: Record<string, unknown> = { name, message };
  if (kind !== undefined) described["kind"] = kind;
  if (code !== undefined) described["code"] = code;
  const isFailure = isExplained || kind !== undefined;
  if (!isFailure && stack !== undefined) described["stack"] = stack;
  if (error.cause instanceof Error && depth < MAX_DEPTH)
    described["cause"] = describe(error.cause, { depth: depth + 1, isExplained: isFailure });
  return described;
}

function copy(value: unknown, depth: number, parents: Set<object>): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describe(value, { depth: 0, isExplained: false });
  if (value instanceof Date) return value.toISOString();
  if (depth >= MAX_DEPTH || parents.has(value)) return "[cut]";
  parents.add(value);
  const result = Array.isArray(value)
    ? value.map((item) => copy(item, depth + 1, parents))
    : Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, SECRET_KEY.test(key) ? REDACTED : copy(item, depth + 1, parents)]),
      );
  parents.delete(value);
  return result;
}
