import { failureMessage } from "../../lib/failure.js";
import type { Stage } from "./stage.js";
import { StepFailure } from "./step-failure.js";
import { badImage, changeAnnotation, comeUp, killAgent, prePull, recreate, type StepResult } from "./steps.js";
import { tableLines } from "./table.js";

type Step = (stage: Stage, before: StepResult) => Promise<StepResult>;

/** Tells the whole story. @throws {StepFailure} that names the step which did not come out as told */
export async function tellStory(stage: Stage): Promise<void> {
  const { screen, clock } = stage;
  const startMs = clock.monotonicMs();
  const results: StepResult[] = [];
  const play = async (name: string, step: Step): Promise<StepResult> => {
    const result = await step(stage, results.at(-1) ?? NOTHING).catch((error: unknown) => nameStep(error, name, stage));
    results.push(result);
    screen.record(result);
    return result;
  };
  const first = await play("come-up", comeUp);
  const inPlace = await play("annotation", changeAnnotation);
  await play("pre-pull", prePull);
  await play("agent-killed", killAgent);
  const last = await play("bad-image", badImage);
  const recreated = await play("recreate", recreate);
  screen.line();
  for (const line of tableLines({ inPlace, inPlaceBefore: first, recreate: recreated, recreateBefore: last })) screen.line(line);
  screen.line();
  const seconds = Math.round((clock.monotonicMs() - startMs) / 100) / 10;
  screen.line(
    "The models stop, start and look as often as a real node was recorded to; a recreate that lands on another node pulls there as well.",
  );
  screen.line(`That took ${String(seconds)} s.`);
  screen.record({ summary: { inPlace: brief(inPlace, first), recreate: brief(recreated, last) }, seconds });
}

const NOTHING: StepResult = {
  step: "",
  pod: { name: "", uid: "", ip: "", appPid: 0, sidecarPid: 0, appRestarts: 0, sidecarRestarts: 0 },
  served: 0,
  isConnectionKept: false,
  greeting: "",
};

function nameStep(error: unknown, step: string, { signal }: Stage): never {
  if (signal.aborted) throw error;
  throw new StepFailure(`step "${step}": ${failureMessage(error)}`, { cause: error });
}

function brief({ pod, cost, isConnectionKept }: StepResult, before: StepResult): object {
  return {
    isSameUid: pod.uid === before.pod.uid,
    isSameIp: pod.ip === before.pod.ip,
    isSameSidecarPid: pod.sidecarPid === before.pod.sidecarPid,
    isConnectionKept,
    ...cost,
  };
}
