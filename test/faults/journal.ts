import type { StoredObject } from "../../src/sim/api-server/json.js";
import type { SimContainer } from "../../src/sim/runtime/entities.js";
import type { Timeline } from "./machine/timeline.js";

/** Where a step of a flow is when something happens: about to leave, done where it was sent, or its answer is here. */
export type Phase = "before" | "applied" | "received";

/** One step of a flow at one phase: the places where plans put their faults. */
export interface StepHit {
  readonly step: string;
  readonly phase: Phase;
  /** The life of a process it belongs to, such as `agent-1#2`. */
  readonly actor: string;
  /** What it is about: method and path of a request, the id of a container, the name of an image. */
  readonly subject: string;
  /** Received only: the HTTP code, or the gRPC status. */
  readonly outcome?: string;
}

/** What happens in a run. */
export type Happening =
  | ({ readonly type: "step" } & StepHit)
  /** The API server stored a change. */
  | {
      readonly type: "object";
      readonly revision: number;
      readonly plural: string;
      readonly change: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: StoredObject;
    }
  /** A process has read a kind up to a revision. */
  | { readonly type: "delivered"; readonly actor: string; readonly plural: string; readonly revision: number }
  | {
      readonly type: "container";
      readonly node: string;
      readonly change: "created" | "started" | "ended" | "removed";
      readonly container: SimContainer;
    }
  /** breaks: it ended by itself, which no process of ours may. */
  | { readonly type: "life"; readonly actor: string; readonly change: "starts" | "crashes" | "ends" | "breaks"; readonly message: string }
  | {
      readonly type: "log";
      readonly actor: string;
      readonly level: "info" | "warn" | "error";
      readonly message: string;
      readonly fields: string;
    }
  | { readonly type: "fault"; readonly fault: string; readonly change: "begins" | "ends"; readonly target: string }
  | { readonly type: "user"; readonly action: string; readonly subject: string }
  /** The end of the run's story, and what is not as it should be. */
  | { readonly type: "verdict"; readonly problems: readonly string[] }
  /** From here on nothing may be written any more. */
  | { readonly type: "rest" };

export type Entry = { readonly atMs: number } & Happening;

/** All that happened in one run, for invariants, for people and for the hash by which two runs are compared. */
export class Journal {
  readonly entries: Entry[] = [];
  readonly #timeline: Pick<Timeline, "nowMs">;

  constructor(timeline: Pick<Timeline, "nowMs">) {
    this.#timeline = timeline;
  }

  add(happening: Happening): void {
    this.entries.push({ atMs: this.#timeline.nowMs, ...happening });
  }
}

/** One line for people; also what the trace hash is made of. */
export function lineOf(entry: Entry): string {
  return `${(entry.atMs / 1000).toFixed(4).padStart(9)} ${wordsOf(entry)}`;
}

function wordsOf(entry: Entry): string {
  switch (entry.type) {
    case "step":
      return `${entry.actor} ${entry.phase} ${entry.step} ${entry.subject} ${entry.outcome ?? ""}`;
    case "object":
      return `api-server ${entry.change} ${entry.plural} ${entry.object.metadata.name} @${String(entry.revision)}`;
    case "delivered":
      return `${entry.actor} has read ${entry.plural} @${String(entry.revision)}`;
    case "container":
      return `${entry.node} container ${entry.change} ${entry.container.name} ${entry.container.id.slice(0, 12)} ${entry.container.labels["io.kubernetes.pod.name"] ?? ""}`;
    case "life":
      return `${entry.actor} ${entry.change} ${entry.message}`;
    case "log":
      return `${entry.actor} ${entry.level} ${entry.message} ${entry.fields}`;
    case "fault":
      return `FAULT ${entry.change} ${entry.fault} on ${entry.target}`;
    case "user":
      return `USER ${entry.action} ${entry.subject}`;
    case "verdict":
      return `VERDICT ${entry.problems.length === 0 ? "converged" : entry.problems.join("; ")}`;
    case "rest":
      return "REST";
  }
}
