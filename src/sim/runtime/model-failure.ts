/** The statuses that the model answers with, by gRPC's numbers. */
export const MODEL_STATUS = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
} as const;

/** A call that the model refuses, with the gRPC status that goes over the wire. */
export class ModelFailure extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ModelFailure";
    this.status = status;
  }
}
