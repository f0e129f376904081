import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Normaliser } from "./normalise.js";
import type { ApiRequest, ApiServerSubject } from "./subjects.js";

/** What a server answered to one request, and which that was. */
export interface NormalisedReply {
  readonly asked: string;
  readonly reply: unknown;
}

const FILE = join(import.meta.dirname, "../../golden/api-server/replies.json");

/** Sends requests one after the other. */
export async function repliesOf(subject: ApiServerSubject, requests: readonly ApiRequest[]): Promise<readonly NormalisedReply[]> {
  const normaliser = new Normaliser();
  const all: NormalisedReply[] = [];
  for (const asked of requests) {
    const reply = normaliser.reply(await subject.call(asked));
    all.push({ asked: `${asked.method} ${asked.path}`, reply });
  }
  return all;
}

/** What a real server answered when somebody recorded it, by the name of the case. */
export function recordedReplies(): Readonly<Record<string, readonly NormalisedReply[]>> {
  return JSON.parse(readFileSync(FILE, "utf8")) as Readonly<Record<string, readonly NormalisedReply[]>>;
}

/** Replaces the recording, one case a line. */
export function recordReplies(replies: Readonly<Record<string, readonly NormalisedReply[]>>): void {
  const lines = Object.entries(replies).map(([what, all]) => `${JSON.stringify(what)}: ${JSON.stringify(all)}`);
  writeFileSync(FILE, `{\n${lines.join(",\n")}\n}\n`);
}
