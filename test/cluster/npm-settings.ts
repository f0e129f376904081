import { existsSync, readFileSync } from "node:fs";
import { run } from "./shell.js";

/** How this machine reaches its package registry. */
export type NpmSettings = {
  /** The text of an .npmrc. */
  readonly npmrc: string;
  /** Certificates to trust besides the usual ones, in PEM; may be empty. */
  readonly certificates: string;
};

/** Where the certificates are inside the build stage. */
export const CERTIFICATES_PLACE = "/etc/ssl/certs/extra-certificates.pem";

const COPIED_KEYS = ["registry", "proxy", "https-proxy", "noproxy", "strict-ssl"] as const;

/** Gathers what `npm ci` inside a build needs to work as it does outside. The result may hold credentials: it must stay out of final images. */
export async function readNpmSettings(): Promise<NpmSettings> {
  const settings = JSON.parse(await run("npm", ["config", "list", "--json", "--long"])) as Readonly<Record<string, unknown>>;
  const copied = COPIED_KEYS.filter((key) => settings[key] !== null && settings[key] !== "").map(
    (key) => `${key}=${String(settings[key])}`,
  );
  const files = [settings["cafile"], process.env["NODE_EXTRA_CA_CERTS"]].filter((file) => typeof file === "string" && existsSync(file));
  const certificates = [...new Set(files)].map((file) => readFileSync(String(file), "utf8")).join("\n");
  const lines = [...credentials(settings["userconfig"]), ...credentials(settings["globalconfig"]), ...copied];
  if (certificates !== "") lines.push(`cafile=${CERTIFICATES_PLACE}`);
  return { npmrc: `${lines.join("\n")}\n`, certificates };
}

/** The lines of an .npmrc that belong to one registry: npm lists them without their values. */
function credentials(file: unknown): string[] {
  if (typeof file !== "string" || !existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => /^\s*(\/\/|@)/.test(line));
}
