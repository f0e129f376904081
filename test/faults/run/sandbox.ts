import crypto from "node:crypto";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";

const realSetImmediate = setImmediate;

/** Resolves when no microtask is left. */
export function settle(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}

/**
 * Takes away everything of this thread that two runs of one plan could see differently: time, timers, randomness, files, sockets. Whoever
 * reaches for one of them gets an error that names it. Hashes stay: they are functions.
 */
export function closeSandbox(): void {
  const RealDate = Date;
  const forbiddenDate = function (...args: readonly number[]): Date {
    if (args.length === 0) throw forbidden("new Date()");
    return Reflect.construct(RealDate, args) as Date;
  };
  Object.assign(forbiddenDate, { parse: RealDate.parse, UTC: RealDate.UTC, now: thrower("Date.now"), prototype: RealDate.prototype });
  replace(globalThis, { Date: forbiddenDate, ...throwers(["setTimeout", "setInterval", "setImmediate", "fetch", "WebSocket"]) });
  replace(Math, throwers(["random"]));
  replace(performance, throwers(["now"]));
  replace(AbortSignal, throwers(["timeout"]));
  replace(globalThis.crypto, throwers(["getRandomValues", "randomUUID"]));
  replace(crypto, throwers(["randomBytes", "randomInt", "randomUUID", "randomFillSync", "generateKeyPairSync"]));
  replace(
    fs,
    throwers(["readFileSync", "readFile", "writeFileSync", "writeFile", "open", "openSync", "stat", "statSync", "createReadStream"]),
  );
  replace(net, throwers(["connect", "createConnection", "createServer"]));
  replace(tls, throwers(["connect", "createServer"]));
  replace(http, throwers(["request", "get", "createServer"]));
  replace(https, throwers(["request", "get", "createServer"]));
  replace(http2, throwers(["connect", "createServer", "createSecureServer"]));
  replace(dns, throwers(["lookup", "resolve"]));
  replace(dgram, throwers(["createSocket"]));
}

/** What is under way outside of virtual time; nothing may be. */
export function pendingOutside(): readonly string[] {
  const ofTheThread = new Set(["MessagePort", "Immediate", "PipeWrap", "TTYWrap"]);
  return process.getActiveResourcesInfo().filter((name) => !ofTheThread.has(name));
}

function replace(target: object, members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members)) Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

function throwers(names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, thrower(name)]));
}

function thrower(name: string): () => never {
  return () => {
    throw forbidden(name);
  };
}

function forbidden(name: string): Error {
  return new Error(`Cannot use ${name} in a simulated run: take a port`);
}
