/** Who sends a request, as authentication finds out. */
export interface Identity {
  readonly username: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Of whoever may do anything. */
export const ADMINISTRATOR: Identity = { username: "admin", groups: ["system:masters", "system:authenticated"], extra: {} };

/** What a service account's token says; with a node if the token belongs to a pod there. */
export function serviceAccountIdentity(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  nodeName?: string,
): Identity {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    extra: nodeName === undefined ? {} : { "authentication.kubernetes.io/node-name": [nodeName] },
  };
}
