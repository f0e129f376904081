import net from "node:net";
import type { AddressInfo } from "node:net";

/** A TCP forwarder in front of a server, whose connections can be made to fail as networks do. */
export interface Gate {
  readonly port: number;
  /** Stops forwarding without a word, on the connections of now and of later. Nobody gets a FIN, a RST or a reply. */
  freeze(): void;
  /** Forwards again on new connections; frozen ones stay so. */
  thaw(): void;
  /** Resets all connections, or the one that reaches the server from this port. */
  cut(fromPort?: number): void;
  /** Closes all connections from the server's side in good order, as a proxy that shuts down. */
  finish(): void;
  close(): Promise<void>;
}

/** Listens on a loopback port (0: any) and forwards to another one. */
export async function openGate(targetPort: number, port = 0): Promise<Gate> {
  const pairs = new Set<readonly [net.Socket, net.Socket]>();
  let isFrozen = false;
  const server = net.createServer((client) => {
    const target = net.connect({ host: "127.0.0.1", port: targetPort });
    const pair = [client, target] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on("error", () => undefined); // its close ends the other side
      socket.once("close", () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    if (isFrozen) return;
    client.pipe(target);
    target.pipe(client);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const cut = (fromPort?: number): void => {
    for (const [client, target] of pairs) {
      if (fromPort !== undefined && target.localPort !== fromPort) continue;
      client.resetAndDestroy();
      target.destroy();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true;
      for (const [client, target] of pairs) {
        client.unpipe(target).pause();
        target.unpipe(client).pause();
      }
    },
    thaw() {
      isFrozen = false;
    },
    cut,
    finish() {
      for (const [client] of pairs) client.end();
    },
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
