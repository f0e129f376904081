import { setMaxListeners } from "node:events";

/** The signal of work that lasts as long as its process. */
export const NEVER = new AbortController().signal;
// Whatever waits listens; thousands are no leak here.
setMaxListeners(0, NEVER);
