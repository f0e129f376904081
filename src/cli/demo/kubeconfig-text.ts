/** A kubeconfig for a server with a token; JSON is YAML too. */
export function kubeconfigText({ url, ca, token }: { readonly url: string; readonly ca: string; readonly token: string }): string {
  const name = "podmend-demo";
  return JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name, cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") } }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name, namespace: "shop" } }],
      "current-context": name,
    },
    undefined,
    2,
  );
}
