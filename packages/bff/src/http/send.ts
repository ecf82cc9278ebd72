import { createHash, randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import express, { type Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import type { Hit } from '../pulses/pulses.ts';
import { cacheControlOf } from './cache-scope.ts';
import type { AnyRequest, PulseResponse } from './locals.ts';

/** The content type of all data responses. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The content type of frame pages. */
export const HTML_TYPE = 'text/html; charset=utf-8';

type Encoding = 'br' | 'gzip' | 'identity';

/** Smaller bodies don't benefit from compression. */
const MIN_COMPRESSED_BYTES = 200;

/** Brotli 5 costs about as much as gzip 6 and produces smaller bodies. Each body is compressed once. */
const BROTLI_QUALITY = 5;

interface Encoded {
  readonly bytes: Uint8Array;
  readonly tag: string;
  readonly headers: OutgoingHttpHeaders;
}

/** A body. Each encoding is produced and tagged only once, when a reader first asks for it. */
export class Body {
  readonly content: string;
  /** The body's uncompressed size, in bytes. */
  readonly byteLength: number;
  readonly #type: string;
  readonly #isCompressed: boolean;
  readonly #encoded = new Map<Encoding, Encoded>();

  constructor(content: string, type: string, options: { readonly isCompressed?: boolean } = {}) {
    this.content = content;
    this.byteLength = Buffer.byteLength(content);
    this.#type = type;
    this.#isCompressed = (options.isCompressed ?? true) && this.byteLength >= MIN_COMPRESSED_BYTES;
  }

  in(wanted: Encoding): Encoded {
    const encoding = this.#isCompressed ? wanted : 'identity';
    const encoded = this.#encoded.get(encoding) ?? encode(this.content, this.#type, encoding);
    this.#encoded.set(encoding, encoded);
    return encoded;
  }
}

const ENCODERS: Readonly<Record<Encoding, (content: string) => Buffer>> = {
  br: (content) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (content) => gzipSync(content),
  identity: (content) => Buffer.from(content),
};

function encode(content: string, type: string, encoding: Encoding): Encoded {
  // A copy, because zlib returns a small part of a buffer of 64 kB, which would stay in memory with it.
  const bytes = new Uint8Array(ENCODERS[encoding](content));
  const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
  const headers = { 'Content-Type': type, ...encoded, 'Content-Length': bytes.length };
  return { bytes, tag: entityTagOf(bytes), headers };
}

/** The maximum memory that a visitor can fill by requesting every variant of every source. */
const KEPT = { max: 5_000, maxSize: 32 * 1024 * 1024 };

/** A part that affects the contents of response bodies. */
export interface Versioned {
  /** A value that changes whenever the contents of response bodies might have changed. */
  readonly revision: unknown;
}

/**
 * Caches bodies by name until a value that they depend on changes. Cached bodies contain nothing about a reader.
 */
export class Bodies {
  readonly #parts: readonly (Versioned | undefined)[];
  readonly #kept = new LRUCache<string, { readonly dependencies: readonly unknown[]; readonly body: Body }>({
    ...KEPT,
    // Together, a body and its compressed versions take up about twice the size of the body.
    sizeCalculation: ({ body }, name) => 2 * (name.length + body.byteLength),
  });

  /** Every body depends on the revisions of `parts`. */
  constructor(parts: readonly (Versioned | undefined)[]) {
    this.#parts = parts;
  }

  /**
   * The body with this name. Calls `make` if there is no such body or it was made from other values. A body without a
   * name is neither cached nor compressed, because visitors could invent any number of them.
   */
  body(name: string | undefined, madeFrom: readonly unknown[], type: string, make: () => string): Body {
    if (name === undefined) return new Body(make(), type, { isCompressed: false });
    const dependencies = [...madeFrom, ...this.#parts.map((part) => part?.revision)];
    const kept = this.#kept.get(name);
    if (kept?.dependencies.every((value, at) => value === dependencies[at])) return kept.body;
    const body = new Body(make(), type);
    this.#kept.set(name, { dependencies, body });
    return body;
  }
}

/** Sends data from the cache, or 304 if the reader already has it. */
export function sendCached(
  req: AnyRequest,
  res: PulseResponse,
  body: Body,
  hit: Pick<Hit<unknown>, 'ageMs' | 'isStale' | 'cache' | 'staleForMs'>,
  config: Pick<Config, 'freshMs' | 'staleMs'>,
): void {
  const { cacheControl, cdnCacheControl } = cacheControlOf(hit, config, res.locals.scope);
  setCacheControl(res, 'Cache-Control', cacheControl);
  setCacheControl(res, 'CDN-Cache-Control', cdnCacheControl);
  recordHit(res, hit);
  sendBody(req, res, body);
}

/** Reports what the cache did in the `Age` and `Cache-Status` headers (RFC 9211) and in the record. */
export function recordHit(res: PulseResponse, hit: Pick<Hit<unknown>, 'ageMs' | 'isStale' | 'cache'>): void {
  res.setHeader('Age', Math.max(0, Math.floor(hit.ageMs / 1_000)));
  res.setHeader('Cache-Status', hit.cache === 'hit' ? 'PulseCard; hit' : `PulseCard; fwd=${hit.cache}`);
  Object.assign(res.locals.record, { cache: hit.cache, isStale: hit.isStale, ageMs: hit.ageMs });
}

/** Sends a body in the encoding that the reader prefers, or 304. `Cache-Control` must be set. */
export function sendBody(req: AnyRequest, res: PulseResponse, body: Body): void {
  sendBytes(req, res, body.in(acceptedEncoding(req)));
}

/** Sends bytes with their tag, or 304 if the reader already has them (RFC 9110, 15.4.5). */
export function sendBytes(req: AnyRequest, res: PulseResponse, { bytes, tag, headers }: Encoded): void {
  const isKnown = isNoneMatch(req, res, tag);
  res.setHeader('ETag', tagFor(res.locals.reader, tag));
  identify(res);
  res.writeHead(isKnown ? 304 : 200, isKnown ? {} : headers);
  res.end(isKnown || req.method === 'HEAD' ? undefined : bytes);
}

/** Sends a short response, such as an error. No cache may store it unless its `Cache-Control` is already set. */
export function sendText(req: AnyRequest, res: PulseResponse, status: number, type: string, text: string): void {
  if (!res.hasHeader('Cache-Control')) setCacheControl(res, 'Cache-Control', 'no-store');
  identify(res);
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  res.end(req.method === 'HEAD' ? undefined : text);
}

/** Adds an ID to responses that shared caches don't store. A shared cache would send the ID to other readers. */
function identify(res: PulseResponse): void {
  const { record, scope } = res.locals;
  if (record.code === undefined && scope === 'shared') return;
  record.requestId = randomUUID();
  const isShared = String(res.getHeader('Cache-Control')).startsWith('public');
  if (!isShared && !res.hasHeader('X-Request-Id')) res.setHeader('X-Request-Id', record.requestId);
}

/** Sets `Cache-Control`, or makes the application's value stricter. */
export function setCacheControl(res: PulseResponse, name: string, ours: string): void {
  const theirs = res.getHeader(name);
  res.setHeader(name, theirs === undefined ? ours : stricter(String(theirs), ours));
}

/** `no-store` replaces everything else, and `private` overrides `public`. Otherwise, caches obey both (RFC 9111, 5.2). */
export function stricter(theirs: string, ours: string): string {
  const unstored = [theirs, ours].find((value) => /\bno-store\b/i.test(value));
  const both = `${theirs}, ${ours}`;
  return unstored ?? (/\bprivate\b/i.test(both) ? both.replace(/\bpublic, /i, '') : both);
}

/** How many characters of a base64url SHA-256 digest form a tag. They hold 132 bits, so no two bodies share a tag. */
const TAG_LENGTH = 22;

/** A strong entity tag (RFC 9110, 8.8.3) for exactly these bytes. */
export function entityTagOf(bytes: string | Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, TAG_LENGTH)}"`;
}

/**
 * This reader's tag for a body. Named readers don't share tags, because a 304 could otherwise leave another reader's
 * name in a browser's cache. 8 characters of a digest hold 48 bits, enough for the readers of one browser.
 */
function tagFor(reader: string | undefined, tag: string): string {
  if (reader === undefined) return tag;
  return `${tag.slice(0, -1)}.${createHash('sha256').update(reader).digest('base64url').slice(0, 8)}"`;
}

/**
 * Whether `If-None-Match` contains this reader's tag, by weak comparison (RFC 9110, 13.1.2). `request.fresh` would be
 * false if the request has `Cache-Control: no-cache`, which `fetch` adds to conditional requests.
 */
export function isNoneMatch({ headers }: AnyRequest, { locals }: PulseResponse, tag: string): boolean {
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch === undefined) return false;
  const own = tagFor(locals.reader, tag);
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === own);
}

/** The best encoding that a request accepts. Brotli comes first, although browsers list gzip first. */
export function acceptedEncoding(req: Pick<Request, 'headers'>): Encoding {
  const accepts = (encoding: Encoding) => express.request.acceptsEncodings.call(req as Request, encoding) !== false;
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}
