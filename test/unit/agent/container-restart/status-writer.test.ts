import { describe, expect, test } from "@jest/globals";
import { ReportBook } from "../../../../src/agent/container-restart/report-book.js";
import { StatusWriter } from "../../../../src/agent/container-restart/status-writer.js";
import { failure, makeDeps, ObjectModel } from "./agent-builders.js";

const asked = {
  namespace: "shop",
  name: "web-0",
  uid: "uid-1",
  requests: [{ id: "r1", container: "app", containerID: "containerd://a" }],
};
const podRestarts = [asked];
const facts = { name: "app", containerID: "containerd://a", restartCount: 0, state: "Running" } as const;
const stopping = { uid: "uid-1", results: [{ id: "r1", phase: "Stopping" as const }], containers: [] };

function start(model = new ObjectModel(podRestarts)) {
  const stop = new AbortController();
  const book = new ReportBook(() => model.cached);
  const writer = new StatusWriter(makeDeps(model), book);
  const ended = writer.run(stop.signal).catch((error: unknown) => error);
  const request = { podUid: "uid-1", id: "r1" };
  return { model, book, writer, request, stop, ended, signal: stop.signal };
}

describe("StatusWriter", () => {
  test("writes what somebody waits for at once", async () => {
    const { model, book, writer } = start();
    book.setContainers(asked, [facts]);
    writer.writeSoon();
    writer.writeNow();
    await model.clock.advance(10_000);
    expect(model.writtenAtMs).toEqual([2]);
    expect(model.stored.status).toEqual({
      observedGeneration: 1,
      podRestartStatuses: [{ uid: "uid-1", results: [], containers: [facts] }],
    });
  });

  test("writes what nobody waits for within 5 s", async () => {
    const { model, book, writer } = start();
    book.setContainers(asked, [facts]);
    writer.writeSoon();
    await model.clock.advance(4_999);
    expect(model.writtenAtMs).toEqual([]);
    await model.clock.advance(1);
    expect(model.writtenAtMs).toEqual([5_000]);
  });

  test("writes at most once in 100 ms", async () => {
    const { model, book, writer } = start();
    for (let count = 0; count < 20; count++) {
      book.setContainers(asked, [{ ...facts, restartCount: count }]);
      writer.writeNow();
      await model.clock.advance(25);
    }
    const gaps = model.writtenAtMs.slice(1).map((atMs, index) => atMs - (model.writtenAtMs[index] ?? 0));
    expect(gaps.length).toBeGreaterThan(3);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(100);
  });

  test("writes nothing that the API server has already", async () => {
    const { model, writer } = start();
    writer.writeNow();
    await model.clock.advance(200);
    writer.writeNow();
    await model.clock.advance(10_000);
    expect(model.writtenAtMs).toHaveLength(1);
  });

  test("goes on after a conflict with the object as it is by then", async () => {
    const { model, book, writer } = start();
    model.touch();
    book.setContainers(asked, [facts]);
    writer.writeNow();
    await model.clock.advance(200);
    expect(model.stored.status?.podRestartStatuses).toHaveLength(1);
  });

  test("backs off while the API server is away, and loses nothing", async () => {
    const { model, book, writer } = start();
    for (let index = 0; index < 3; index++) model.spoilt.push({ error: failure("transient"), applied: false });
    book.setContainers(asked, [facts]);
    writer.writeNow();
    await model.clock.advance(1_399);
    expect(model.writtenAtMs).toEqual([]);
    await model.clock.advance(10);
    expect(model.stored.status?.podRestartStatuses?.[0]?.containers).toEqual([facts]);
  });

  test("ends when the signal aborts", async () => {
    const { stop, ended } = start();
    stop.abort(new Error("stop"));
    expect(await ended).toEqual(new Error("stop"));
  });
});

describe("StatusWriter.recordStopping()", () => {
  test("resolves as written once the API server has it", async () => {
    const { model, writer, request, signal } = start();
    const record = writer.recordStopping(request, signal);
    await model.clock.advance(5);
    expect(await record).toBe("written");
    expect(model.stored.status?.podRestartStatuses).toEqual([stopping]);
  });

  test("resolves as already written when another life of the agent has stopped it meanwhile", async () => {
    const { model, writer, request, signal } = start();
    model.touch({ observedGeneration: 1, podRestartStatuses: [{ uid: "uid-1", results: [{ id: request.id, phase: "Stopped" }] }] });
    const record = writer.recordStopping(request, signal);
    await model.clock.advance(500);
    expect(await record).toBe("already");
  });

  test("resolves as already written when the cache was behind an earlier life of the agent", async () => {
    const { model, writer, request, signal } = start();
    model.touch({ observedGeneration: 1, podRestartStatuses: [stopping] });
    const record = writer.recordStopping(request, signal);
    await model.clock.advance(500);
    expect(await record).toBe("already");
  });

  test("resolves as already written when the answer of the write was lost, so that preStop runs at most once", async () => {
    const { model, writer, request, signal } = start();
    model.spoilt.push({ error: failure("transient"), applied: true });
    const record = writer.recordStopping(request, signal);
    await model.clock.advance(1_000);
    expect(await record).toBe("already");
  });

  test("does not resolve when the object is gone, so that nothing is stopped that nobody asks for any more", async () => {
    const { model, writer, request } = start();
    for (let index = 0; index < 20; index++) model.spoilt.push({ error: failure("missing"), applied: false });
    const withdraw = new AbortController();
    const record = writer.recordStopping(request, withdraw.signal);
    record.catch(() => undefined);
    const first = await Promise.race([record, model.clock.advance(60_000)]);
    expect(first).toBeUndefined();
    expect(model.spoilt.length).toBeLessThan(20);
    expect(model.spoilt.length).toBeGreaterThan(0); // tried again, but seldom
    withdraw.abort(new Error("the cache has seen it go"));
    await expect(record).rejects.toThrow("the cache has seen it go");
  });

  test("rejects when the request is withdrawn while the API server is away", async () => {
    const { model, writer, request } = start();
    model.spoilt.push({ error: failure("transient"), applied: false });
    const withdraw = new AbortController();
    const record = writer.recordStopping(request, withdraw.signal);
    await model.clock.advance(10);
    withdraw.abort(new Error("withdrawn"));
    await expect(record).rejects.toThrow("withdrawn");
  });
});
