import type { Image, ImageRuntime, PullRequest } from "../../../../src/cri/runtime.js";
import { type FailureKind, OperationError } from "../../../../src/lib/failure.js";

type Pull = (request: PullRequest, signal: AbortSignal) => Promise<string>;

/** An image runtime that a test scripts: `held` is what it has, `pull` what the next pulls do. */
export class FakeImages implements ImageRuntime {
  readonly held = new Map<string, Image>();
  readonly pulls: PullRequest[] = [];
  pull: Pull = () => Promise.resolve("sha256:1");
  status: () => Promise<void> = () => Promise.resolve();

  listImages(): Promise<readonly Image[]> {
    return Promise.resolve([...this.held.values()]);
  }

  pullImage(request: PullRequest, signal: AbortSignal): Promise<string> {
    this.pulls.push(request);
    return this.pull(request, signal);
  }

  async imageStatus(reference: string): Promise<Image | undefined> {
    await this.status();
    return this.held.get(reference);
  }
}

/** A pull that ends only when it is cancelled. */
export const pullForEver: Pull = (_request, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

/** A failure as `cri` makes it. */
export function criFailure(code: string, kind: FailureKind = "transient", message = "no such host"): OperationError {
  return new OperationError(kind, `CRI_${code}`, `Cannot pull image "x": ${message}`);
}
