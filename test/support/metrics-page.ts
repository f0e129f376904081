import { readFileSync } from "node:fs";

/** One metric as a page shows it. */
export interface ShownMetric {
  readonly type: string;
  /** Sorted. */
  readonly labels: readonly string[];
}

/** The metrics of docs/metrics.md by name. */
export function documentedMetrics(): ReadonlyMap<string, ShownMetric> {
  const text = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");
  const metrics = new Map<string, ShownMetric>();
  for (const line of text.split("\n")) {
    const [, names = "", type = "", labels = ""] = line.split("|").map((cell) => cell.trim());
    for (const name of ticked(names)) metrics.set(name, { type, labels: [...ticked(labels)].sort() });
  }
  return metrics;
}

/** The metrics of a scrape by name. A metric without series yet has no labels here. */
export function servedMetrics(scrape: string): ReadonlyMap<string, ShownMetric> {
  const metrics = new Map<string, ShownMetric>();
  for (const [, name = "", type = ""] of scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const samples = [...scrape.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} `, "gm"))];
    const labels = samples.flatMap(([, inner = ""]) => [...inner.matchAll(/(\w+)="/g)].map((match) => match[1] ?? ""));
    metrics.set(name, { type, labels: [...new Set(labels)].filter((label) => label !== "le").sort() });
  }
  return metrics;
}

function ticked(cell: string): readonly string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? "");
}
