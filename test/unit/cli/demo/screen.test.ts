import { describe, expect, test } from "@jest/globals";
import { createScreen, type Screen, tellHeading } from "../../../../src/cli/demo/screen.js";

interface Spoken {
  readonly screen: Screen;
  readonly text: () => string;
}

function open(port: { readonly isTerminal?: boolean; readonly env?: Readonly<Record<string, string>> }, json = false): Spoken {
  const out: string[] = [];
  const nothing = (): void => undefined;
  const process = {
    args: [],
    env: {},
    pid: 1,
    nodeVersion: "",
    writeOut: (text: string) => void out.push(text),
    writeError: nothing,
    onUncaught: nothing,
  };
  return { screen: createScreen({ ...process, ...port }, json), text: () => out.join("") };
}

function speak({ screen }: Spoken): void {
  screen.progress("waiting");
  screen.line("done");
  screen.record({ step: "one" });
}

describe("createScreen()", () => {
  test("shows progress on a terminal, and lets the next line take its place", () => {
    const spoken = open({ isTerminal: true, env: { TERM: "xterm" } });
    speak(spoken);
    expect(spoken.text()).toBe("\r\u001b[K   waiting\r\u001b[Kdone\n");
  });

  test.each([
    { where: "in a pipe", port: {} },
    { where: "on a dumb terminal", port: { isTerminal: true, env: { TERM: "dumb" } } },
  ])("writes plain lines $where", ({ port }) => {
    const spoken = open(port);
    speak(spoken);
    expect(spoken.text()).toBe("done\n");
  });

  test("writes nothing but JSON lines when told so", () => {
    const spoken = open({ isTerminal: true }, true);
    speak(spoken);
    expect(spoken.text()).toBe('{"step":"one"}\n');
  });

  test("tellHeading() shows the change as YAML and the kubectl line", () => {
    const spoken = open({});
    tellHeading(spoken.screen, { number: 2, title: "A change.", change: { spec: { a: [{ b: 1 }] } }, kubectl: "kubectl patch" });
    expect(spoken.text()).toBe("\n2. A change.\n   | spec:\n   |   a:\n   |     - b: 1\n   $ kubectl patch\n");
  });
});
