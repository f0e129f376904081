import type { Clock } from "../../lib/clock.js";
import type { Random } from "../../lib/random.js";
import { ContainerStore } from "./container-store.js";
import type { ContainerProcesses, SimContainer, SimProgram, SimSandbox, SimVariable } from "./entities.js";
import { noFaults, type RuntimeFaults } from "./faults.js";
import { ImageStore, imageRefOf } from "./image-store.js";
import { containerAnnotations, containerLabels, type KubeletContainer, type SimPod, sandboxLabels } from "./kubelet-words.js";

/** What a command that was run in a container left. */
export interface ExecAnswer {
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** One command, as it was asked for. */
export interface ExecCall {
  readonly containerId: string;
  readonly command: readonly string[];
  readonly timeoutSeconds: number;
}

/** A container of `runPod` and `runContainer`. */
export interface PodContainer extends KubeletContainer {
  readonly image?: string;
  readonly envs?: readonly SimVariable[];
  readonly program?: Partial<SimProgram>;
}

/** Everything there is on one node as its runtime sees it, for tests to look at and to change. */
export class RuntimeWorld {
  readonly containers: ContainerStore;
  readonly images: ImageStore;
  readonly faults: RuntimeFaults = noFaults();
  /** Every command that was run, oldest first. */
  readonly execs: ExecCall[] = [];
  /** What commands answer; throw a ModelFailure for one that cannot even start. */
  answerExec: (call: ExecCall, signal: AbortSignal) => ExecAnswer | Promise<ExecAnswer> = () => ({ exitCode: 0 });

  /** Whether a running container would pass a probe now; by default once its program has had the time that it needs. */
  passesProbe: (container: SimContainer) => boolean;

  constructor(clock: Clock, random: Random, processes?: ContainerProcesses) {
    this.passesProbe = ({ startedAtNs, program }) => clock.nowMs() - Number(startedAtNs / 1_000_000n) >= (program.answersAfterMs ?? 0);
    this.containers = new ContainerStore(clock, random, processes);
    this.images = new ImageStore(clock);
  }

  /** Runs a command in a container, whoever asks. */
  async exec(call: ExecCall, signal: AbortSignal): Promise<ExecAnswer> {
    this.execs.push(call);
    return this.answerExec(call, signal);
  }

  /** The node starts anew: images and what is known of containers stay, nothing runs. */
  reboot(): void {
    this.containers.reboot();
  }

  /** A sandbox with running containers, labelled and annotated as the kubelet does it. */
  runPod(pod: SimPod, containers: readonly PodContainer[]): readonly SimContainer[] {
    const sandbox = this.containers.addSandbox({ ...pod, attempt: 0, labels: sandboxLabels(pod), annotations: {} });
    return containers.map((container) => this.runContainer(sandbox, pod, container));
  }

  /** One more running container in a sandbox: what the kubelet does after one has ended. */
  runContainer(sandbox: Pick<SimSandbox, "id">, pod: SimPod, container: PodContainer): SimContainer {
    const reference = container.image ?? "registry.test/app:v1";
    const image = this.images.find(reference) ?? this.images.preload({ reference, sizeBytes: 4_000_000 });
    const created = this.containers.create({
      sandboxId: sandbox.id,
      name: container.name,
      attempt: container.restartCount ?? 0,
      image: reference,
      imageRef: imageRefOf(image),
      labels: containerLabels(pod, container),
      annotations: containerAnnotations(pod, container),
      envs: container.envs ?? [],
      imageEnvs: image.envs,
      program: { ...image.program, ...container.program },
    });
    return this.containers.start(created.id);
  }
}
