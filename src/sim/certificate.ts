import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** PEM texts of a certificate that stands for itself, and its key. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const OID = { commonName: "550403", ecdsaWithSha256: "2a8648ce3d040302", subjectAltName: "551d11", basicConstraints: "551d13" } as const;

/** Makes a certificate for a server on 127.0.0.1, valid for a day; the same text is the authority that clients trust. */
export function selfSigned(commonName: string, nowMs: number): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const name = sequence(set(sequence(oid(OID.commonName), der(0x0c, Buffer.from(commonName)))));
  const serial = randomBytes(8);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    name,
    sequence(time(nowMs - DAY_MS), time(nowMs + DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension(OID.basicConstraints, sequence(der(0x01, Buffer.from([0xff])))), extension(OID.subjectAltName, names()))),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]));
  return {
    cert: pem("CERTIFICATE", sequence(body, algorithm, signature)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function names(): Buffer {
  return sequence(der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from("localhost")));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

/** UTCTime in whole seconds. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

/** Tag, length and content as DER wants them. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
