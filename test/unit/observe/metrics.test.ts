import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { createMetrics, type MetricsRegistry } from "../../../src/observe/metrics.js";
import { documentedMetrics, servedMetrics } from "../../support/metrics-page.js";

const SOURCE = join(import.meta.dirname, "../../../src");

function create(): MetricsRegistry {
  return createMetrics({ version: "1.2.3", nodeVersion: "v20.0.0", component: "agent" });
}

async function line(metrics: MetricsRegistry, start: string): Promise<string | undefined> {
  return (await metrics.render()).split("\n").find((text) => text.startsWith(start));
}

describe("createMetrics()", () => {
  test("tells the build", async () => {
    expect(await line(create(), "podmend_build_info")).toBe(
      'podmend_build_info{version="1.2.3",node_version="v20.0.0",component="agent"} 1',
    );
  });

  test("counts from zero", async () => {
    const metrics = create();
    const counter = metrics.counter({ name: "x_total", help: "X.", labels: ["result"], zero: [{ result: "a" }, { result: "b" }] });
    expect(await line(metrics, 'x_total{result="b"}')).toBe('x_total{result="b"} 0');
    counter.increment({ result: "a" });
    counter.increment({ result: "a" }, 4);
    expect(await line(metrics, 'x_total{result="a"}')).toBe('x_total{result="a"} 5');
  });

  test("gives a metric without labels its series at once, and one with labels none that nobody named", async () => {
    const metrics = create();
    metrics.counter({ name: "plain_total", help: "P." });
    metrics.counter({ name: "open_total", help: "O.", labels: ["code"] });
    expect(await line(metrics, "plain_total")).toBe("plain_total 0");
    expect(await line(metrics, "open_total")).toBeUndefined();
  });

  test("sets and forgets series of gauges", async () => {
    const metrics = create();
    const gauge = metrics.gauge({ name: "depth", help: "D.", labels: ["name"] });
    gauge.set(3, { name: "pods" });
    expect(await line(metrics, "depth")).toBe('depth{name="pods"} 3');
    gauge.remove({ name: "pods" });
    expect(await line(metrics, "depth")).toBeUndefined();
  });

  test("puts observations into the declared buckets", async () => {
    const metrics = create();
    const histogram = metrics.histogram({ name: "took_seconds", help: "T.", labels: ["m"], buckets: [1, 5], zero: [{ m: "get" }] });
    expect(await line(metrics, 'took_seconds_count{m="get"}')).toBe('took_seconds_count{m="get"} 0');
    for (const seconds of [0.5, 1, 3, 9]) histogram.observe(seconds, { m: "get" });
    expect(await line(metrics, 'took_seconds_bucket{le="1",m="get"}')).toBe('took_seconds_bucket{le="1",m="get"} 2');
    expect(await line(metrics, 'took_seconds_bucket{le="5",m="get"}')).toBe('took_seconds_bucket{le="5",m="get"} 3');
    expect(await line(metrics, "took_seconds_sum")).toBe('took_seconds_sum{m="get"} 13.5');
  });

  test("gives the same metric to everybody who declares its name", async () => {
    const metrics = create();
    const declare = () => metrics.counter({ name: "shared_total", help: "S.", labels: ["name"], zero: [{ name: "a" }] });
    declare().increment({ name: "a" });
    declare().increment({ name: "a" });
    expect(await line(metrics, "shared_total")).toBe('shared_total{name="a"} 2');
  });

  test("does not set a series back when its metric is declared again", async () => {
    const metrics = create();
    const declare = () => metrics.gauge({ name: "depth", help: "D.", labels: ["name"], zero: [{ name: "a" }] });
    declare().set(7, { name: "a" });
    declare();
    expect(await line(metrics, "depth")).toBe('depth{name="a"} 7');
  });

  test("serves nothing that promtool refuses: a gauge is not named like a counter", async () => {
    for (const [name, { type }] of servedMetrics(await create().render())) {
      expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
    }
  });
});

describe("docs/metrics.md", () => {
  const documented = documentedMetrics();

  test("lists every metric that the code declares, and no other of ours", () => {
    const sources = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
    const texts = sources.filter((path) => !path.startsWith("sim")).map((path) => readFileSync(join(SOURCE, path), "utf8"));
    const declared = texts.flatMap((text) => [
      ...text.matchAll(/"((?:podmend|workqueue|rest_client|reflector|leader_election)_[a-z_]+)"/g),
    ]);
    const names = [...new Set(declared.map((match) => match[1]))].sort();
    expect(names.length).toBeGreaterThan(20);
    expect([...documented.keys()].filter((name) => !/^(process|nodejs)_/.test(name)).sort()).toEqual(names);
  });

  test("lists what every process tells of itself", async () => {
    const served = servedMetrics(await create().render());
    const own = [...documented.keys()].filter((name) => /^(process|nodejs)_/.test(name)).sort();
    expect([...served.keys()].filter((name) => /^(process|nodejs)_/.test(name)).sort()).toEqual(own);
    for (const [name, { type }] of served) expect([name, documented.get(name)?.type]).toEqual([name, type]);
  });
});
