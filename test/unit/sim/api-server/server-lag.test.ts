import { beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ApiFront, type FrontReply } from "../../../../src/sim/api-server/api-front.js";
import { ApiState } from "../../../../src/sim/api-server/api-state.js";
import { FakeClock } from "../../../support/fake-clock.js";

const MAPS = "/api/v1/namespaces/shop/configmaps";
const RESOURCE = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };

let clock: FakeClock;
let state: ApiState;

beforeEach(() => {
  clock = new FakeClock();
  state = new ApiState({ clock });
});

const frontWith = (lagMs?: () => number, bookmarkPeriodMs = 60_000): ApiFront =>
  new ApiFront({ state, bookmarkPeriodMs, token: () => undefined, lagMs });
const ask = (front: ApiFront, path: string): FrontReply => front.answer({ method: "GET", path, headers: {}, body: new Uint8Array() });
const create = (name: string): string => state.create(RESOURCE, { metadata: { name } }, "shop").metadata.resourceVersion;

/** Names and kinds of what a watch is told, as it is told. */
function watch(front: ApiFront, query = ""): { readonly seen: string[]; readonly versions: number[]; readonly stop: () => void } {
  const reply = ask(front, `${MAPS}?watch=true&resourceVersion=${String(state.database.revision())}${query}`);
  const [seen, versions]: [string[], number[]] = [[], []];
  if (reply.type !== "watch") throw new Error(reply.text);
  const stop = reply.start({
    event(event) {
      const { name = "", resourceVersion } = (event["object"] as { metadata: { name?: string; resourceVersion: string } }).metadata;
      seen.push(`${String(event["type"])} ${name}`.trim());
      versions.push(Number(resourceVersion));
    },
    end: () => void seen.push("end"),
  });
  return { seen, versions, stop };
}

function list(front: ApiFront, query = ""): { readonly names: readonly string[]; readonly version: string } {
  const reply = ask(front, `${MAPS}${query}`);
  if (reply.type !== "whole") throw new Error("not a list");
  const { items, metadata } = JSON.parse(reply.text) as { items: { metadata: { name: string } }[]; metadata: { resourceVersion: string } };
  return { names: items.map((item) => item.metadata.name), version: metadata.resourceVersion };
}

describe("a server front that is behind", () => {
  test("tells of a change when it has got there, another front at once", async () => {
    const [late, prompt] = [watch(frontWith(() => 5_000)), watch(frontWith())];
    create("a");
    expect([late.seen, prompt.seen]).toEqual([[], ["ADDED a"]]);
    await clock.advance(4_999);
    expect(late.seen).toEqual([]);
    await clock.advance(1);
    expect(late.seen).toEqual(["ADDED a"]);
  });

  test("shows the past in lists of resourceVersion 0 only", async () => {
    create("a");
    const front = frontWith(() => 1_000);
    const version = create("b");
    state.delete(RESOURCE, { namespace: "shop", name: "a" });
    expect(list(front).names).toEqual(["b"]);
    expect(list(front, "?resourceVersion=0")).toEqual({ names: ["a"], version: String(Number(version) - 1) });
    await clock.advance(1_000);
    expect(list(front, "?resourceVersion=0").names).toEqual(["b"]);
  });

  test("shows each object as it was, however often it has changed since", () => {
    create("a");
    const front = frontWith(() => 1_000);
    const change = (data: object): void => {
      const body = { data };
      state.patch(RESOURCE, { namespace: "shop", name: "a" }, { contentType: "application/merge-patch+json", body });
    };
    change({ x: "1" });
    change({ x: "2" });
    state.delete(RESOURCE, { namespace: "shop", name: "a" });
    create("a");
    const reply = ask(front, `${MAPS}?resourceVersion=0`);
    expect(JSON.parse(reply.type === "whole" ? reply.text : "")).toMatchObject({ items: [{ metadata: { name: "a" } }] });
    expect(reply.type === "whole" ? reply.text : "").not.toContain('"data"');
  });

  test("a change waits for those of its kind before it, also where a selector hides them; another kind does not wait", async () => {
    const lags = [5_000, 0, 0];
    const front = frontWith(() => lags.shift() ?? 0);
    const { seen } = watch(front, "&fieldSelector=metadata.name%3Db");
    create("a");
    create("b");
    state.create({ ...RESOURCE, plural: "secrets", kind: "Secret" }, { metadata: { name: "s" } }, "shop");
    const secrets = ask(front, "/api/v1/secrets?resourceVersion=0");
    expect(secrets.type === "whole" ? secrets.text : "").toContain('"name":"s"');
    await clock.advance(4_999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    expect(seen).toEqual(["ADDED b"]);
  });

  test("a watch from a past list hears of all that came after it", async () => {
    create("a");
    const front = frontWith(() => 1_000);
    create("b");
    const { version } = list(front, "?resourceVersion=0");
    const reply = ask(front, `${MAPS}?watch=true&resourceVersion=${version}`);
    const seen: unknown[] = [];
    if (reply.type === "watch") reply.start({ event: ({ type }) => void seen.push(type), end: () => undefined });
    expect(seen).toEqual([]);
    await clock.advance(1_000);
    expect(seen).toEqual(["ADDED"]);
  });

  test("no bookmark overtakes an event", async () => {
    const { seen, versions } = watch(
      frontWith(() => 1_500, 1_000),
      "&allowWatchBookmarks=true",
    );
    await clock.advance(900);
    create("a");
    await clock.advance(100);
    expect(seen).toEqual([]); // the bookmark of now names a revision that has not arrived
    await clock.advance(1_400);
    expect(seen).toEqual(["ADDED a", "BOOKMARK", "BOOKMARK"]);
    expect(versions).toEqual([...versions].sort((x, y) => x - y));
  });

  test("whoever stops a watch hears nothing more", async () => {
    const { seen, stop } = watch(frontWith(() => 1_000));
    create("a");
    stop();
    await clock.advance(5_000);
    expect(seen).toEqual([]);
  });

  test("whatever the lags, events come in order, none is lost, and cached lists never go back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(5_000), fc.nat(800)), { minLength: 1, maxLength: 12 }), async (changes) => {
        clock = new FakeClock();
        state = new ApiState({ clock });
        let next = 0;
        const front = frontWith(() => changes[next++]?.[0] ?? 0);
        const { versions } = watch(front);
        const wanted: number[] = [];
        let shown = 0;
        for (const [index, [, pauseMs]] of changes.entries()) {
          wanted.push(Number(create(`m${String(index)}`)));
          await clock.advance(pauseMs);
          const { names } = list(front, "?resourceVersion=0");
          expect(names.length).toBeGreaterThanOrEqual(shown);
          shown = names.length;
          expect(versions.length).toBe(shown);
        }
        await clock.advance(20_000);
        expect(versions).toEqual(wanted);
      }),
      { numRuns: 50 },
    );
  });
});
