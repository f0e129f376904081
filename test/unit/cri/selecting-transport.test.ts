import { describe, expect, test } from "@jest/globals";
import { SelectingTransport } from "../../../src/cri/selecting-transport.js";
import { type CriTransport, WireFailure } from "../../../src/cri/wire.js";
import { silentLogger } from "../../../src/lib/logger.js";
import { FakeClock } from "../../support/fake-clock.js";

const CALL = { timeoutMs: 1_000, signal: new AbortController().signal };
const NOTHING = new Uint8Array();

/** A node with runtimes on some sockets; every reply is the path of the socket that gave it. */
class FakeNode {
  readonly clock = new FakeClock();
  readonly answering = new Set<string>();
  readonly log: string[] = [];
  opened = 0;
  closed = 0;
  status = 14;
  /** Takes connections and says nothing. */
  hanging: string | undefined;

  transport(...socketPaths: readonly string[]): SelectingTransport {
    return new SelectingTransport({
      socketPaths,
      clock: this.clock,
      logger: { ...silentLogger, info: (message, fields) => this.log.push(`${message} ${String(fields?.["socketPath"])}`) },
      openTransport: (path) => this.#open(path),
      probe: async (transport, signal) => void (await transport.unary("probe", NOTHING, { ...CALL, signal })),
    });
  }

  #open(socketPath: string): CriTransport {
    this.opened += 1;
    return {
      unary: async (_path, _request, { signal }) => {
        if (socketPath === this.hanging)
          await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        if (!this.answering.has(socketPath)) throw new WireFailure(this.status, `connect ENOENT ${socketPath}`);
        return Buffer.from(socketPath);
      },
      async *serverStream() {},
      close: () => void (this.closed += 1),
    };
  }
}

async function ask(transport: SelectingTransport): Promise<string> {
  try {
    return Buffer.from(await transport.unary("Version", NOTHING, CALL)).toString();
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
}

describe("SelectingTransport", () => {
  test("takes the first that answers and closes the others", async () => {
    const node = new FakeNode();
    node.answering.add("b").add("c");
    const transport = node.transport("a", "b", "c");

    expect(await ask(transport)).toBe("b");
    expect(await ask(transport)).toBe("b");
    expect([node.opened, node.closed]).toEqual([2, 1]);
  });

  test("looks once for calls that come together", async () => {
    const node = new FakeNode();
    node.answering.add("b");
    const transport = node.transport("a", "b");

    expect(await Promise.all([ask(transport), ask(transport), ask(transport)])).toEqual(["b", "b", "b"]);
    expect(node.opened).toBe(2);
  });

  test("says of every candidate why not, and looks again at the next call", async () => {
    const node = new FakeNode();
    const transport = node.transport("a", "b");

    expect(await ask(transport)).toBe("failed: no runtime answers: connect ENOENT a; connect ENOENT b");
    node.answering.add("a");
    expect(await ask(transport)).toBe("a");
  });

  test("keeps a runtime that went away for 30 s, then takes another that answers", async () => {
    const node = new FakeNode();
    node.answering.add("a").add("b");
    const transport = node.transport("a", "b");
    await ask(transport);
    node.answering.delete("a");

    expect(await ask(transport)).toBe("failed: connect ENOENT a");
    await node.clock.advance(29_999);
    expect(await ask(transport)).toBe("failed: connect ENOENT a");
    await node.clock.advance(1);
    expect(await ask(transport)).toBe("failed: connect ENOENT a");
    expect(node.closed).toBe(1);
    expect(await ask(transport)).toBe("b");
    expect(node.log).toEqual(["Runtime socket is chosen a", "Runtime socket is given up a", "Runtime socket is chosen b"]);
  });

  test("counts the 30 s anew after every answer", async () => {
    const node = new FakeNode();
    node.answering.add("a").add("b");
    const transport = node.transport("a", "b");
    await ask(transport);
    node.answering.delete("a");
    await ask(transport);
    await node.clock.advance(29_000);
    node.answering.add("a");
    expect(await ask(transport)).toBe("a");
    node.answering.delete("a");
    await node.clock.advance(29_000);
    await ask(transport);
    await node.clock.advance(29_000);
    await ask(transport);

    node.answering.add("a");
    expect(await ask(transport)).toBe("a");
  });

  test("a refusal other than UNAVAILABLE never makes it look elsewhere", async () => {
    const node = new FakeNode();
    node.answering.add("a").add("b");
    const transport = node.transport("a", "b");
    await ask(transport);
    node.answering.delete("a");
    node.status = 2;
    await ask(transport);
    await node.clock.advance(60_000);
    await ask(transport);

    expect(await ask(transport)).toBe("failed: connect ENOENT a");
  });

  test("keeps a single candidate for ever, without a probe", async () => {
    const node = new FakeNode();
    const transport = node.transport("a");
    await ask(transport);
    await node.clock.advance(600_000);
    await ask(transport);
    await ask(transport);

    expect([node.opened, node.closed]).toEqual([1, 0]);
  });

  test("fails calls after close()", async () => {
    const node = new FakeNode();
    node.answering.add("a");
    const transport = node.transport("a");
    await ask(transport);
    transport.close();

    expect(await ask(transport)).toBe("failed: the connection was closed");
    expect([node.opened, node.closed]).toEqual([1, 1]);
  });

  test("a call can be aborted while a candidate says nothing, and the look goes on for others", async () => {
    const node = new FakeNode();
    node.hanging = "a";
    const transport = node.transport("a", "b");
    const stop = new AbortController();
    const reason = new Error("shutting down");
    const call = transport.unary("Version", NOTHING, { ...CALL, signal: stop.signal });
    stop.abort(reason);

    await expect(call).rejects.toBe(reason);
    expect([node.opened, node.closed]).toEqual([1, 0]);
  });

  test("close() ends a look under way and leaves nothing open", async () => {
    const node = new FakeNode();
    node.hanging = "a";
    const transport = node.transport("a", "b");
    const call = ask(transport);
    await node.clock.advance(0);
    transport.close();

    expect(await call).toBe("failed: the connection was closed");
    expect([node.opened, node.closed]).toEqual([1, 1]);
  });
});
