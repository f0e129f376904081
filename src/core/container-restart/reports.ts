/**
 * Something about restarts that a user must hear of.
 *
 * EnvNotApplied: three instances in a row started without the wanted env. EnvUnreadable: the runtime does not tell the env.
 * StopFailed: the runtime refuses to stop the container. AgentNotResponding: the node's agent has not seen the spec for `ageMs`.
 * WaitingForKubelet: stopped, and nothing new runs since `ageMs`. TooManyRequests: waits for a place in the node's object, or does not
 * fit into it. RequestRefused: the agent finds the request impossible.
 */
export interface RestartReport {
  readonly reason:
    | "EnvNotApplied"
    | "EnvUnreadable"
    | "StopFailed"
    | "AgentNotResponding"
    | "WaitingForKubelet"
    | "TooManyRequests"
    | "RequestRefused";
  readonly podUid: string;
  readonly container?: string;
  readonly ageMs?: number;
  /** What the agent said about it. */
  readonly detail?: string;
}
