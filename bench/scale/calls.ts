import process from "node:process";

/** What a child process of the bench can be asked, by name. */
export type Methods = { readonly [name: string]: (params: never) => unknown };

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: string;
}

/** Answers the parent's calls over Node's own channel, until the parent is gone. */
export function serveCalls(methods: Methods): void {
  process.on("message", (message) => void answer(methods, message as Request));
  process.once("disconnect", () => process.exit(0));
}

async function answer(methods: Methods, { id, method, params }: Request): Promise<void> {
  let reply: Reply;
  try {
    const act = methods[method] as ((params: unknown) => unknown) | undefined;
    if (act === undefined) throw new Error(`Cannot answer "${method}": nobody knows it`);
    reply = { id, result: await act(params) };
  } catch (error) {
    reply = { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(reply);
}

/** The other end of `serveCalls`. */
export class Caller {
  readonly #send: (request: Request) => void;
  readonly #waiting = new Map<number, { readonly resolve: (result: unknown) => void; readonly reject: (failure: Error) => void }>();
  #lastId = 0;

  constructor(send: (request: Request) => void) {
    this.#send = send;
  }

  call(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  /** Takes in a message of the child. */
  take({ id, result, failure }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(failure));
  }

  /** The child is gone: nothing is answered any more. */
  fail(failure: Error): void {
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }
}
