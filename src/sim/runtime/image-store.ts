import type { Clock } from "../../lib/clock.js";
import { DEFAULT_PROGRAM, type SimProgram, type SimVariable } from "./entities.js";
import { MODEL_STATUS, ModelFailure } from "./model-failure.js";

/** An image in the registry. */
export interface PublishedImage {
  readonly reference: string;
  readonly sizeBytes: number;
  /** How fast a node gets it; default: at once. */
  readonly bytesPerSecond?: number;
  /** Before the first byte. */
  readonly latencyMs?: number;
  /** Stands for the content: an image published again under the same reference with another one is another image. */
  readonly content?: string;
  readonly envs?: readonly SimVariable[];
  readonly program?: Partial<SimProgram>;
}

/** An image on the node. */
export interface StoredImage {
  /** Of its configuration: `sha256:` and 64 digits. */
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
  readonly envs: readonly SimVariable[];
  readonly program: SimProgram;
}

/** The images of one node and the registry they come from. */
export class ImageStore {
  readonly #clock: Clock;
  readonly #published = new Map<string, PublishedImage>();
  readonly #stored = new Map<string, StoredImage>();
  /** Every reference that was fetched from the registry, oldest first. */
  readonly pulls: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Puts an image into the registry, under its tag and its digest. */
  publish(image: PublishedImage): void {
    const reference = withTag(image.reference);
    this.#published.set(reference, image);
    this.#published.set(digestReference(reference, image), image);
  }

  /** Takes a reference out of the registry; nodes keep what they have. */
  withdraw(reference: string): void {
    this.#published.delete(withTag(reference));
  }

  /** Puts an image on the node without a pull. */
  preload(image: PublishedImage): StoredImage {
    this.publish(image);
    return this.#store(withTag(image.reference), image);
  }

  list(): readonly StoredImage[] {
    return [...this.#stored.values()];
  }

  /** By tag, by digest or by id. */
  find(reference: string): StoredImage | undefined {
    const full = withTag(reference);
    return this.list().find(
      ({ id, repoTags, repoDigests }) =>
        id === reference || id === `sha256:${reference}` || repoTags.includes(full) || repoDigests.includes(full),
    );
  }

  remove(reference: string): void {
    const image = this.find(reference);
    if (image !== undefined) this.#stored.delete(image.id);
  }

  /** Takes as long as size and speed say. @throws {ModelFailure} NOT_FOUND for an unpublished one; the signal's reason */
  async pull(reference: string, signal: AbortSignal): Promise<StoredImage> {
    const full = withTag(reference);
    const image = this.#published.get(full);
    if (image === undefined) {
      throw new ModelFailure(
        MODEL_STATUS.NOT_FOUND,
        `failed to pull and unpack image "${full}": failed to resolve reference "${full}": not found`,
      );
    }
    const transferMs = image.bytesPerSecond === undefined ? 0 : (image.sizeBytes / image.bytesPerSecond) * 1000;
    await this.#clock.sleep((image.latencyMs ?? 0) + transferMs, signal);
    this.pulls.push(full);
    return this.#store(full, image);
  }

  #store(reference: string, image: PublishedImage): StoredImage {
    this.#untag(reference);
    const id = `sha256:${digestOf(["config", contentOf(image)])}`;
    const known = this.#stored.get(id);
    const stored = {
      id,
      repoTags: union(known?.repoTags, reference.includes("@") ? [] : [reference]),
      repoDigests: union(known?.repoDigests, [digestReference(reference, image)]),
      sizeBytes: image.sizeBytes,
      envs: image.envs ?? [],
      program: { ...DEFAULT_PROGRAM, ...image.program },
    };
    this.#stored.set(id, stored);
    return stored;
  }

  /** A tag names one image: the one that had it before keeps only its digest. */
  #untag(reference: string): void {
    for (const image of this.list()) {
      this.#stored.set(image.id, { ...image, repoTags: image.repoTags.filter((tag) => tag !== reference) });
    }
  }
}

/** What a container's status says about its image: where it came from, by digest. */
export function imageRefOf({ id, repoDigests }: StoredImage): string {
  return repoDigests[0] ?? id;
}

function withTag(reference: string): string {
  const isComplete = reference.includes("@") || reference.startsWith("sha256:") || reference.lastIndexOf(":") > reference.lastIndexOf("/");
  return isComplete ? reference : `${reference}:latest`;
}

function digestReference(reference: string, image: PublishedImage): string {
  return `${repositoryOf(reference)}@sha256:${digestOf(["manifest", contentOf(image)])}`;
}

function repositoryOf(reference: string): string {
  const [name = ""] = reference.split("@");
  const colon = name.lastIndexOf(":");
  return colon > name.lastIndexOf("/") ? name.slice(0, colon) : name;
}

function contentOf(image: PublishedImage): string {
  return image.content ?? image.reference;
}

/** 64 digits that stand for the content as a SHA-256 would: nothing here depends on its being one. */
function digestOf(parts: readonly string[]): string {
  const text = parts.join("\n");
  return Array.from({ length: 8 }, (_, word) => hashOf(`${String(word)} ${text}`)).join("");
}

/** FNV-1a over UTF-16, with a last stir so that texts that differ at the end differ everywhere. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0).toString(16).padStart(8, "0");
}

function union(known: readonly string[] | undefined, more: readonly string[]): readonly string[] {
  return [...new Set([...(known ?? []), ...more])];
}
