import Negotiator from 'negotiator';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * How many characters a tag takes from a base64url SHA-256. These characters hold 132 bits, so no two bodies share a
 * tag.
 */
const TAG_LENGTH = 22;

/** A strong entity tag (RFC 9110, 8.8.3) for exactly these bytes. */
export function entityTagOf(body: Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH)}"`;
}

/**
 * Returns whether `If-None-Match` names `tag`, by weak comparison (RFC 9110, 13.1.2). Express would return 200 if the
 * request has `Cache-Control: no-cache`, which `fetch` adds to conditional requests.
 */
export function isNoneMatch(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((listed) => listed.trim().replace(/^W\//, '') === tag);
}

/** The content codings of a representation, best first. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/**
 * Returns the best coding that `Accept-Encoding` allows (RFC 9110, 12.5.3), or `identity` if it allows neither br nor
 * gzip.
 */
export function acceptedEncoding(acceptEncoding = ''): Encoding {
  const known = negotiated.get(acceptEncoding);
  if (known !== undefined) return known;
  const negotiator: EncodingNegotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const encoding = negotiator.encoding(ENCODINGS, { preferred: ENCODINGS });
  const accepted = ENCODINGS.find((own) => own === encoding) ?? 'identity';
  negotiated.set(acceptEncoding, accepted);
  return accepted;
}

/** Browsers send only a few different values of this header. Each value is parsed once. */
const negotiated = new LRUCache<string, Encoding>({ max: 100 });

/** The types of negotiator 1 don't declare the method's second parameter. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
}

/**
 * Smaller bodies gain nothing from compression: the compression frame and the additional header take more bytes than
 * compression saves.
 */
const MIN_COMPRESSED_BYTES = 200;

/** Brotli 5 costs about as much as gzip 6 and produces smaller bodies. Compression runs once for each body. */
const BROTLI_QUALITY = 5;
const GZIP_LEVEL = 6;

/** The quality for files that are compressed only once in the lifetime of the process. */
export const MAX_BROTLI_QUALITY = constants.BROTLI_MAX_QUALITY;

/** A body in one encoding, with the headers that belong to exactly these bytes. */
export interface EncodedRepresentation {
  readonly bytes: Buffer;
  readonly tag: string;
  /** Name, value, name, value: the form that `writeHead` processes fastest. */
  readonly headers: readonly string[];
}

export interface RepresentationOptions {
  /** @default true */
  readonly isCompressed?: boolean;
  /** @default 5 */
  readonly brotliQuality?: number;
  /** @default 6 */
  readonly gzipLevel?: number;
}

/** A body. Each encoding is produced and tagged once, when it is first requested. */
export class Representation {
  /** The size of the uncompressed body, in bytes. */
  readonly byteLength: number;
  readonly #content: string | Buffer;
  readonly #contentType: string;
  readonly #options: Required<RepresentationOptions>;
  readonly #forms = new Map<Encoding, EncodedRepresentation>();

  constructor(
    content: string | Buffer,
    contentType: string,
    { isCompressed = true, brotliQuality = BROTLI_QUALITY, gzipLevel = GZIP_LEVEL }: RepresentationOptions = {},
  ) {
    this.byteLength = Buffer.byteLength(content);
    this.#content = content;
    this.#contentType = contentType;
    this.#options = { isCompressed, brotliQuality, gzipLevel };
  }

  /** The body as text. */
  get text(): string {
    return this.#content.toString();
  }

  /** The body in `encoding`. If compression wouldn't save anything, the body is uncompressed. */
  in(encoding: Encoding): EncodedRepresentation {
    const known = this.#forms.get(encoding);
    if (known !== undefined) return known;
    const form = this.#formOf(encoding);
    this.#forms.set(encoding, form);
    return form;
  }

  #formOf(encoding: Encoding): EncodedRepresentation {
    const isPlain = !this.#options.isCompressed || this.byteLength < MIN_COMPRESSED_BYTES;
    if (encoding !== 'identity' && isPlain) return this.in('identity');
    const bytes = this.#encoded(encoding);
    const tag = entityTagOf(bytes);
    const coding = encoding === 'identity' ? [] : ['Content-Encoding', encoding];
    const headers = ['Content-Type', this.#contentType, ...coding, 'Content-Length', String(bytes.length)];
    return { bytes, tag, headers };
  }

  #encoded(encoding: Encoding): Buffer {
    const content = this.#content;
    if (encoding === 'identity') return typeof content === 'string' ? Buffer.from(content) : content;
    if (encoding === 'gzip') return gzipSync(content, { level: this.#options.gzipLevel });
    const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
    const params = { [BROTLI_PARAM_QUALITY]: this.#options.brotliQuality, [BROTLI_PARAM_SIZE_HINT]: this.byteLength };
    return brotliCompressSync(content, { params });
  }
}

/** The content type of every response with data. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The content type of pages for frames. */
export const HTML_TYPE = 'text/html; charset=utf-8';

/** Limits the memory that a visitor can fill by requesting every form of every source. */
const CAPACITY = { max: 5_000, bytes: 32 * 1024 * 1024 };

/** The estimated size of a string and its compressed forms, as a multiple of the string's size. */
const FORMS = 2;

interface CachedBody {
  readonly dependencies: readonly unknown[];
  readonly body: Representation;
}

/** Caches response bodies by name until the objects that they depend on change (LRU). */
export class BodyCache {
  readonly #cached = new LRUCache<string, CachedBody>({
    max: CAPACITY.max,
    maxSize: CAPACITY.bytes,
    sizeCalculation: ({ body }, name) => (name.length + body.byteLength) * FORMS,
  });

  /**
   * Returns the body with this name. Calls `make` if the body isn't cached or was made from different `dependencies`.
   */
  body(name: string, dependencies: readonly unknown[], contentType: string, make: () => string): Representation {
    const cached = this.#cached.get(name);
    if (cached !== undefined && isSame(cached.dependencies, dependencies)) return cached.body;
    const body = new Representation(make(), contentType);
    this.#cached.set(name, { dependencies, body });
    return body;
  }
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((dependency, at) => dependency === other[at]);
}
