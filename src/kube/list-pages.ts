import type { KubeObject, Resource } from "../api/meta.js";
import { OperationError } from "../lib/failure.js";
import type { ListResult } from "./client.js";
import { apiVersionOf } from "./request-path.js";

/** What a list request asks for beside its selectors. */
export interface PageQuery {
  readonly limit?: number;
  readonly continue?: string;
}

/** The body of a list answer, as far as we read it. */
export interface ListBody<T extends KubeObject> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

export interface ListPagesOptions<T extends KubeObject> {
  readonly resource: Resource;
  readonly fetchPage: (query: PageQuery) => Promise<ListBody<T>>;
  /** Applied to each item before the next page is asked for, so that a big list is never in memory whole. */
  readonly project?: ((item: T) => T) | undefined;
}

const PAGE_SIZE = 500;

/**
 * All items of a list, asked for in pages. If the server has forgotten the list's snapshot half-way (410), starts again without pages.
 *
 * The server leaves apiVersion and kind out of list items; they are put back.
 */
export async function listPages<T extends KubeObject>(options: ListPagesOptions<T>): Promise<ListResult<T>> {
  const items: T[] = [];
  let page: ListBody<T> | undefined = await options.fetchPage({ limit: PAGE_SIZE });
  for (;;) {
    for (const item of page.items ?? []) items.push(complete(item, options));
    const token: string = page.metadata?.continue ?? "";
    if (token === "") return { items, resourceVersion: page.metadata?.resourceVersion ?? "" };
    page = await nextPage(options, token);
    if (page === undefined) return listWhole(options);
  }
}

/** @returns undefined when the page can no longer be had */
async function nextPage<T extends KubeObject>(options: ListPagesOptions<T>, token: string): Promise<ListBody<T> | undefined> {
  try {
    return await options.fetchPage({ limit: PAGE_SIZE, continue: token });
  } catch (error) {
    if (error instanceof OperationError && error.code === "KUBE_GONE") return undefined;
    throw error;
  }
}

async function listWhole<T extends KubeObject>(options: ListPagesOptions<T>): Promise<ListResult<T>> {
  const body = await options.fetchPage({});
  return { items: (body.items ?? []).map((item) => complete(item, options)), resourceVersion: body.metadata?.resourceVersion ?? "" };
}

function complete<T extends KubeObject>(item: T, { resource, project }: ListPagesOptions<T>): T {
  const whole: T = { ...item, apiVersion: apiVersionOf(resource), kind: resource.kind };
  return project === undefined ? whole : project(whole);
}
