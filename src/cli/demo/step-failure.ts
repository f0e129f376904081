/** A step of the story that did not come out as told; the message names it. */
export class StepFailure extends Error {}
