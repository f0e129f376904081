import type { TagPullPolicy } from "../../api/node-image.js";
import type { JobSettings } from "./job-settings.js";

/** Tags outlive the job's own time to live by this, so that jobs are not asked again while they end. */
const EXTRA_TTL_SECONDS = 300;
const EXTRA_TTL_SPREAD_SECONDS = 300;
const NEVER_TTL_SECONDS = 24 * 3600;
const NEVER_TTL_SPREAD_SECONDS = 1200;
const NEVER_MIN_DEADLINE_SECONDS = 1800;
/** Of the pauses between attempts; 1 + 2 + 4 + 8 + 16 before it stays at this. */
const MAX_RETRY_PAUSE_SECONDS = 30;

/**
 * The pull policy that a job gives its tags. A job of type Never pulls again when the time to live, about a day, is over.
 * @param spread 0 to 1 (exclusive): spreads the ends, so that not all nodes are written at once
 * Source: spec/node-agent.md 4.8; the deadline of Never covers all attempts (kruise#2071).
 */
export function tagPullPolicy(settings: JobSettings, spread: number): TagPullPolicy {
  const { timeoutSeconds, backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished, endsWithAllNodes } = settings;
  if (!endsWithAllNodes) {
    const ttl = NEVER_TTL_SECONDS + Math.floor((spread - 0.5) * NEVER_TTL_SPREAD_SECONDS);
    const allAttempts = timeoutSeconds * (backoffLimit + 1) + MAX_RETRY_PAUSE_SECONDS * backoffLimit;
    const deadline = Math.max(NEVER_MIN_DEADLINE_SECONDS, allAttempts);
    return { timeoutSeconds, backoffLimit, ttlSecondsAfterFinished: ttl, activeDeadlineSeconds: deadline };
  }
  const base = ttlSecondsAfterFinished ?? activeDeadlineSeconds ?? timeoutSeconds * backoffLimit;
  const ttl = Math.min(base, 2 ** 30) + EXTRA_TTL_SECONDS + Math.floor(spread * EXTRA_TTL_SPREAD_SECONDS);
  const deadline = activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds };
  return { timeoutSeconds, backoffLimit, ttlSecondsAfterFinished: ttl, ...deadline };
}

/** The policy that gives neither of two jobs less than it asked for. */
export function moreGenerous(a: TagPullPolicy | undefined, b: TagPullPolicy): TagPullPolicy {
  if (a === undefined) return b;
  const deadline = maxOf(a.activeDeadlineSeconds, b.activeDeadlineSeconds);
  return {
    ...maybe("timeoutSeconds", maxOf(a.timeoutSeconds, b.timeoutSeconds)),
    ...maybe("backoffLimit", maxOf(a.backoffLimit, b.backoffLimit)),
    ...maybe("ttlSecondsAfterFinished", maxOf(a.ttlSecondsAfterFinished, b.ttlSecondsAfterFinished)),
    ...maybe("activeDeadlineSeconds", deadline),
  };
}

/** Whether two policies make a node try equally hard. */
export function tryEquallyHard(a: TagPullPolicy | undefined, b: TagPullPolicy): boolean {
  return (
    a?.timeoutSeconds === b.timeoutSeconds && a?.backoffLimit === b.backoffLimit && a?.activeDeadlineSeconds === b.activeDeadlineSeconds
  );
}

// An absent limit is the most generous one.
function maxOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.max(a, b);
}

function maybe<K extends keyof TagPullPolicy>(key: K, value: number | undefined): TagPullPolicy {
  return value === undefined ? {} : { [key]: value };
}
