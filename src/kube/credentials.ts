/** Who we are to the API server, and whom we trust. Read again as files change; see `auth.ts` for where they come from. */
export interface Credentials {
  /** The value of the Authorization header, or undefined where a client certificate speaks for us. */
  authorization(): Promise<string | undefined>;
  /** Forgets what is cached: the server did not accept it. The next call reads it anew. */
  renew(): void;
  /** What a new connection is made with. The same object as long as nothing changed. */
  tls(): Promise<TlsMaterial>;
}

/** PEM texts for a TLS connection. */
export interface TlsMaterial {
  /** Authorities to trust; absent: those that Node ships. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name the server's certificate must carry, if not the host in the address. */
  readonly serverName?: string;
  /** True only if the kubeconfig says insecure-skip-tls-verify. */
  readonly insecure?: boolean;
}

/** How to reach an API server. */
export interface ServerAccess {
  /** Such as `https://10.0.0.1:443`; a path is put before every request's path. `http:` means HTTP/2 without TLS. */
  readonly server: string;
  readonly credentials: Credentials;
}
