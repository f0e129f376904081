import { badRequest, expired } from "./api-error.js";
import type { ApiState } from "./api-state.js";
import type { JsonObject, StoredObject } from "./json.js";
import { interestOf } from "./listeners.js";
import type { ServerLag } from "./server-lag.js";
import { apiVersionOf } from "./served-kinds.js";
import { objectsAt } from "./past-objects.js";
import type { RequestUrl } from "./request-url.js";
import { fieldMatcher, labelMatcher, type Matcher } from "./selectors.js";

/** The objects that a list or watch asks for. @throws {ApiError} 400 for malformed selectors */
export function matcherOf({ namespace, plural, query }: RequestUrl): Matcher {
  const labels = labelMatcher(query.get("labelSelector") ?? "");
  const fields = fieldMatcher(query.get("fieldSelector") ?? "", plural);
  return (object) => (namespace === undefined || object.metadata.namespace === namespace) && labels(object) && fields(object);
}

/** What is left of a list, whether its selectors want it or not. */
interface Snapshot {
  readonly items: readonly StoredObject[];
  readonly revision: number;
}

const MAX_SNAPSHOTS = 50;

/** Lists in pages. All pages of a list show the moment of the first one, until the server forgets it. */
export class ListPager {
  readonly #state: ApiState;
  readonly #rest = new Map<string, Snapshot>();
  readonly #lag: ServerLag | undefined;
  #tokens = 0;

  /** @param lag of the server front that lists; absent: it is never behind */
  constructor(state: ApiState, lag?: ServerLag) {
    this.#state = state;
    this.#lag = lag;
  }

  /** @throws {ApiError} 410 for a page whose list is forgotten */
  page(url: RequestUrl): JsonObject {
    const kind = this.#state.kind(url);
    const { items, revision } = this.#snapshot(url);
    const { here, rest } = takePage(items, matcherOf(url), Number(url.query.get("limit") ?? 0));
    const isSelected = ["labelSelector", "fieldSelector"].some((name) => (url.query.get(name) ?? "") !== "");
    const count = isSelected ? {} : { remainingItemCount: rest.length };
    const token = rest.length === 0 ? {} : { continue: this.#keep({ items: rest, revision }), ...count };
    const metadata = { ...(kind.isBuiltIn ? {} : { continue: "" }), resourceVersion: String(revision), ...token };
    // The real server leaves these out of list items of built-in kinds too.
    const shown = kind.isBuiltIn ? here.map(({ apiVersion: _a, kind: _k, ...item }) => item) : here;
    return { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata, items: shown };
  }

  /** Forgets the lists that are half read. */
  expire(): void {
    this.#rest.clear();
  }

  #snapshot(url: RequestUrl): Snapshot {
    const token = url.query.get("continue");
    if (token === null && this.#lag !== undefined && url.query.get("resourceVersion") === "0") {
      const kind = this.#state.kind(url);
      const revision = this.#lag.arrivedRevision(kind);
      return { items: objectsAt(this.#state, kind, revision), revision };
    }
    if (token === null) {
      return { items: this.#candidates(url), revision: this.#state.database.revision() };
    }
    const kept = this.#rest.get(token);
    if (!token.startsWith("page-")) throw badRequest("continue key is not valid");
    if (kept === undefined) throw expired("The provided continue parameter is too old to display a consistent list result");
    return kept;
  }

  /** One object where the selector names it: thousands of agents ask for theirs. */
  #candidates(url: RequestUrl): readonly StoredObject[] {
    const kind = this.#state.kind(url);
    const { field } = interestOf(kind, url.query.get("fieldSelector") ?? "");
    if (field?.path !== "metadata.name" || kind.namespaced) return this.#state.list(kind, url.namespace);
    const found = this.#state.database.get(kind, field.value);
    return found === undefined ? [] : [found];
  }

  #keep(snapshot: Snapshot): string {
    const token = `page-${String(++this.#tokens)}`;
    this.#rest.set(token, snapshot);
    const [oldest] = this.#rest.keys();
    if (this.#rest.size > MAX_SNAPSHOTS && oldest !== undefined) this.#rest.delete(oldest);
    return token;
  }
}

/** As many as there may be on a page. What follows is looked at with the next one only: that may be empty. */
function takePage(
  items: readonly StoredObject[],
  matches: Matcher,
  limit: number,
): { readonly here: readonly StoredObject[]; readonly rest: readonly StoredObject[] } {
  const here: StoredObject[] = [];
  let seen = 0;
  for (const item of items) {
    if (limit > 0 && here.length === limit) break;
    seen++;
    if (matches(item)) here.push(item);
  }
  return { here, rest: items.slice(seen) };
}
