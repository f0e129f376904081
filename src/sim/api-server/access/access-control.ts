import type { CelEngine } from "../../cel/cel-engine.js";
import { SHIPPED_OBJECTS } from "../gen/manifests.js";
import type { JsonObject } from "../json.js";
import type { Identity } from "./identity.js";
import { type AdmittedWrite, Policies } from "./policies.js";
import type { RequestAttributes } from "./request-attributes.js";
import { Roles } from "./roles.js";

export interface AccessControlOptions {
  /** By bearer token. */
  readonly identities: ReadonlyMap<string, Identity>;
  readonly cel: CelEngine;
  /** Default: the roles, bindings and policies of an installation. */
  readonly objects?: readonly JsonObject[];
}

/** Who may do what. */
export class AccessControl {
  readonly #identities: ReadonlyMap<string, Identity>;
  readonly #roles: Roles;
  readonly #policies: Policies;

  constructor({ identities, cel, objects = SHIPPED_OBJECTS }: AccessControlOptions) {
    this.#identities = identities;
    this.#roles = new Roles(objects);
    this.#policies = new Policies(objects, cel);
  }

  /** @returns undefined for a token that nobody has */
  identify(token: string): Identity | undefined {
    return this.#identities.get(token);
  }

  /** @throws {ApiError} 403 */
  authorize(identity: Identity, attributes: RequestAttributes): void {
    this.#roles.authorize(identity, attributes);
  }

  /** @throws {ApiError} what a policy answers */
  admit(write: AdmittedWrite): void {
    this.#policies.admit(write);
  }
}
