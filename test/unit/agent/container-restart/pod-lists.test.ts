import { describe, expect, test } from "@jest/globals";
import { PodLists } from "../../../../src/agent/container-restart/pod-lists.js";
import type { ContainerFilter, ContainerRuntime, ContainerSummary } from "../../../../src/cri/runtime.js";
import { FakeClock } from "../../../support/fake-clock.js";
import { failure } from "./agent-builders.js";

function container(podUid: string): ContainerSummary {
  return { id: `c-${podUid}`, labels: { "io.kubernetes.pod.uid": podUid } } as unknown as ContainerSummary;
}

const ALL = ["a", "b", "c", "d"].map(container);

function makeLists(list = async ({ podUid }: ContainerFilter) => ALL.filter(({ id }) => podUid === undefined || id === `c-${podUid}`)) {
  const asked: ContainerFilter[] = [];
  const clock = new FakeClock();
  const listContainers = (filter: ContainerFilter) => {
    asked.push(filter);
    return list(filter);
  };
  return { clock, asked, lists: new PodLists({ listContainers } as unknown as ContainerRuntime, clock) };
}

const { signal } = new AbortController();

describe("PodLists.listTogether()", () => {
  test("asks once for many, and gives each its own", async () => {
    const { clock, asked, lists } = makeLists();
    const answers = Promise.all(["a", "b", "none"].map((uid) => lists.listTogether(uid, signal)));
    await clock.advance(2);
    expect(await answers).toEqual([[container("a")], [container("b")], []]);
    expect(asked).toEqual([{}]);
  });

  test("asks for each of a few", async () => {
    const { clock, asked, lists } = makeLists();
    const answers = Promise.all(["a", "b"].map((uid) => lists.listTogether(uid, signal)));
    await clock.advance(2);
    expect(await answers).toEqual([[container("a")], [container("b")]]);
    expect(asked).toEqual([{ podUid: "a" }, { podUid: "b" }]);
  });

  test("never answers with a list that began before the question", async () => {
    const { clock, asked, lists } = makeLists();
    void lists.listTogether("a", signal);
    await clock.advance(2);
    void lists.listTogether("a", signal);
    await clock.advance(2);
    expect(asked).toHaveLength(2);
  });

  test("passes a failure on to everybody who asked", async () => {
    const { clock, lists } = makeLists(() => Promise.reject(failure("transient")));
    const answers = ["a", "b", "c"].map((uid) => lists.listTogether(uid, signal).catch((error: unknown) => error));
    await clock.advance(2);
    for (const answer of answers) expect(await answer).toMatchObject({ kind: "transient" });
  });
});
