/** What a reader knows once it has read some bytes: a kind up to a revision. */
export interface Delivery {
  readonly plural: string;
  readonly revision: number;
}

const COLLECTION = /\/([a-z]+)(?:\?|$)/;
/** An agent has only one object of each of these kinds, so that whoever has that has read the kind. */
const NODE_OBJECT = /\/(nodepodrestarts|nodeimages)\/[^/?]+/;

/** What a list, one line of a watch, or an answer with its node's object tells an agent; nothing for other answers. */
export function deliveriesToAgent(text: string, path: string): readonly Delivery[] {
  const plural = NODE_OBJECT.exec(path)?.[1];
  if (plural === undefined) return deliveriesOf(text, path);
  const { kind, metadata } = JSON.parse(text) as Versioned & { readonly kind?: string };
  return kind === "Status" ? [] : read(plural, metadata);
}

/** What a list or one line of a watch tells its reader; nothing for other answers. */
export function deliveriesOf(text: string, path: string): readonly Delivery[] {
  const plural = COLLECTION.exec(path)?.[1];
  if (plural === undefined) return [];
  if (!path.includes("watch=true")) return text.includes('List"') ? read(plural, (JSON.parse(text) as Versioned).metadata) : [];
  // A refused watch answers with a Status, which is no event.
  const { type, object } = JSON.parse(text) as { readonly type?: string; readonly object?: Versioned };
  return object === undefined || type === "ERROR" ? [] : read(plural, object.metadata);
}

interface Versioned {
  readonly metadata: { readonly resourceVersion?: string };
}

function read(plural: string, { resourceVersion }: Versioned["metadata"]): readonly Delivery[] {
  return resourceVersion === undefined ? [] : [{ plural, revision: Number(resourceVersion) }];
}
