/** What makes the id of one request unlike any other of its pod. */
export interface RequestIdParts extends RequestLine {
  /** The instance that the request is about; empty if none is known. */
  readonly instanceId: string;
  /** How many instances of this line were named by a stop request, this one included; 0 before the first. */
  readonly attempt: number;
  /** Generation of the node object that brings the request: grows with each change of the spec, so no id comes twice. */
  readonly generation: number;
}

/** Requests that follow one another: for the same container, on behalf of the same revision. */
export interface RequestLine {
  readonly revision: string;
  readonly container: string;
}

/**
 * The id of a request that serves an in-place update. It carries the attempt because attempts are counted in the spec itself:
 * nothing about them lives only in a process.
 */
export function updateRequestId(parts: RequestIdParts): string {
  return `${linePrefix(parts)}${parts.instanceId.slice(0, INSTANCE_DIGITS)}/${parts.attempt}/${parts.generation}`;
}

/** Reads an id of this line. @returns undefined for an id of another line or another requester */
export function readUpdateRequestId(id: string, line: RequestLine): Omit<RequestIdParts, keyof RequestLine> | undefined {
  const prefix = linePrefix(line);
  if (!id.startsWith(prefix)) return undefined;
  const match = /^([^/]*)\/(\d+)\/(\d+)$/.exec(id.slice(prefix.length));
  return match === null ? undefined : { instanceId: match[1] ?? "", attempt: Number(match[2]), generation: Number(match[3]) };
}

/** True if the id, made for this line, is about the given instance. */
export function isAboutInstance(idInstance: string, instanceId: string): boolean {
  return idInstance === instanceId.slice(0, INSTANCE_DIGITS);
}

const INSTANCE_DIGITS = 12;
const MAX_REVISION_LENGTH = 64;
const NO_NAME_CHARACTER = /[^A-Za-z0-9._-]/g;

// A revision's name ends with its hash, and names of 253 characters would swell the object. It comes from an annotation that anybody may
// have written: half a character would not survive the API server, and the id would look like another one each time.
function linePrefix({ revision, container }: RequestLine): string {
  return `update/${revision.slice(-MAX_REVISION_LENGTH).replaceAll(NO_NAME_CHARACTER, "_")}/${container}/`;
}
