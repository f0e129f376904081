/** Where the API server, the registry and every node's gateway are: the bridge of the lab's network namespace. */
export const LAB_ADDRESS = "10.97.0.1";
/** The ClusterIP of the Service "kubernetes", simply a local address of the bridge. */
export const API_SERVICE_ADDRESS = "10.96.0.1";
export const SERVICE_RANGE = "10.96.0.0/16";
/** Where pods look for DNS; nobody answers. */
export const DNS_SERVICE_ADDRESS = "10.96.0.10";
export const POD_RANGE = "10.244.0.0/16";
/** Host and port of the image registry that stands for all registries. */
export const REGISTRY = `${LAB_ADDRESS}:5000`;

/** The nodes' names are node1, node2, ...; this gives the number back. */
export function nodeNumber(node: string): number {
  return Number(node.slice("node".length));
}

/** The node's own address on the bridge's network. */
export function nodeAddress(node: string): string {
  return `10.97.0.${10 + nodeNumber(node)}`;
}

/** The addresses of the node's pods. */
export function podSubnet(node: string): string {
  return `10.244.${nodeNumber(node)}.0/24`;
}
