import { NAME, NAMESPACE } from "./workload.js";

/** The kubectl line for a merge patch of the workload. */
export function kubectlMerge(body: object): string {
  return `kubectl -n ${NAMESPACE} patch cloneset ${NAME} --type merge -p ${quoted(JSON.stringify(body))}`;
}

/** The kubectl line for a JSON patch of the workload. */
export function kubectlJson(operations: readonly object[]): string {
  return `kubectl -n ${NAMESPACE} patch cloneset ${NAME} --type json -p ${quoted(JSON.stringify(operations))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
