import { Agent, request } from "node:http";
import type { Socket } from "node:net";

/** What a container's server says about itself. */
export interface Answer {
  readonly container: string;
  readonly pid: number;
  /** Requests that this process has answered, this one included. */
  readonly served: number;
  readonly env: Readonly<Record<string, string>>;
}

/** One connection to one container's server, kept open. */
export class SidecarLine {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #first: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** False once the connection has broken. */
  get isOpen(): boolean {
    return this.#first !== undefined && !this.#first.destroyed;
  }

  /** Asks over the connection. @throws if it has broken */
  ask(): Promise<Answer> {
    if (this.#first?.destroyed === true) return Promise.reject(new Error("Cannot ask the container: the connection is broken"));
    return new Promise((resolve, reject) => {
      const call = request({ host: "127.0.0.1", port: this.#port, agent: this.#agent }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.once("end", () => resolve(JSON.parse(text) as Answer));
      });
      call.once("socket", (socket) => {
        this.#first ??= socket;
      });
      call.once("error", reject);
      call.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Asks a container's server once. */
export async function askOnce(port: number): Promise<Answer> {
  const line = new SidecarLine(port);
  try {
    return await line.ask();
  } finally {
    line.close();
  }
}
