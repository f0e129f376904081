/** What becomes of a call of the dead: nothing, ever. One promise for each, because a shared one would hold on to everybody that ever waited for it. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
