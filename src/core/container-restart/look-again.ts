/**
 * How long the agent waits before it looks at a pod's containers again while somebody waits for one to start.
 *
 * A container that was just stopped is back after one or two looks of the kubelet, one second each; what takes longer hangs on
 * something slower (back-off, an image pull), and need not be seen within a tenth of a second. Units: milliseconds.
 */
export function lookAgainMs(waitingForMs: number): number {
  if (waitingForMs < 30_000) return 100;
  return waitingForMs < 300_000 ? 1_000 : 5_000;
}
