import Negotiator from 'negotiator';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';

/** Characters of a base64url SHA-256 that are kept: 132 bits, enough that no two bodies ever share a tag. */
const TAG_LENGTH = 22;

/** A strong entity tag (RFC 9110, 8.8.3) for exactly these bytes. */
export function entityTagOf(body: Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH)}"`;
}

/**
 * Returns whether `If-None-Match` names `tag`, by weak comparison (RFC 9110, 13.1.2).
 * Written here because Express answers 200 to a request with `Cache-Control: no-cache`, which `fetch` adds by itself.
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

/** Browsers send a handful of different `Accept-Encoding` values. */
const ACCEPTED_CAPACITY = 100;

const accepted = new Map<string, Encoding>();

/** Returns the best coding that `Accept-Encoding` allows (RFC 9110, 12.5.3); `identity` where it allows none of ours. */
export function acceptedEncoding(acceptEncoding = ''): Encoding {
  const known = accepted.get(acceptEncoding);
  if (known !== undefined) return known;
  const encoding = negotiate(acceptEncoding);
  if (accepted.size < ACCEPTED_CAPACITY) accepted.set(acceptEncoding, encoding);
  return encoding;
}

/** The types of negotiator 1 lack its second parameter. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
}

function negotiate(acceptEncoding: string): Encoding {
  const negotiator: EncodingNegotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const encoding = negotiator.encoding(ENCODINGS, { preferred: ENCODINGS });
  return ENCODINGS.find((own) => own === encoding) ?? 'identity';
}

/** Smaller bodies gain nothing from compression: its frame and the header that names it outweigh what it saves. */
const MIN_COMPRESSED_BYTES = 200;

/** Brotli 5 costs about as much as gzip 6 and is smaller; it runs once for each body. */
const BROTLI_QUALITY = 5;

/** For files that are compressed once for the life of the process. */
export const MAX_BROTLI_QUALITY = constants.BROTLI_MAX_QUALITY;

/** A body in one form, with the headers that belong to exactly these bytes. */
export interface EncodedRepresentation {
  readonly bytes: Buffer;
  readonly tag: string;
  /** Name, value, name, value, …: as `writeHead` takes them fastest. */
  readonly headers: readonly string[];
}

/** A body that is compressed and tagged at most once for each form, when that form is first asked for. */
export class Representation {
  readonly #identity: Buffer;
  readonly #contentType: string;
  readonly #brotliQuality: number;
  readonly #forms = new Map<Encoding, EncodedRepresentation>();

  constructor(content: string | Buffer, contentType: string, brotliQuality = BROTLI_QUALITY) {
    this.#identity = typeof content === 'string' ? Buffer.from(content) : content;
    this.#contentType = contentType;
    this.#brotliQuality = brotliQuality;
  }

  /** The body as `encoding`, or as it is where compressing would not pay. */
  in(encoding: Encoding): EncodedRepresentation {
    const known = this.#forms.get(encoding);
    if (known !== undefined) return known;
    const form = this.#formOf(encoding);
    this.#forms.set(encoding, form);
    return form;
  }

  #formOf(encoding: Encoding): EncodedRepresentation {
    if (encoding === 'identity') return this.#formWith(this.#identity, []);
    if (this.#identity.length < MIN_COMPRESSED_BYTES) return this.in('identity');
    return this.#formWith(this.#compressed(encoding), ['Content-Encoding', encoding]);
  }

  #compressed(encoding: Exclude<Encoding, 'identity'>): Buffer {
    const bytes = this.#identity;
    if (encoding === 'gzip') return gzipSync(bytes);
    const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
    const params = { [BROTLI_PARAM_QUALITY]: this.#brotliQuality, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
    return brotliCompressSync(bytes, { params });
  }

  #formWith(bytes: Buffer, codingHeader: string[]): EncodedRepresentation {
    const tag = entityTagOf(bytes);
    const length = String(bytes.length);
    return {
      bytes,
      tag,
      headers: ['Content-Type', this.#contentType, ...codingHeader, 'Content-Length', length, 'ETag', tag],
    };
  }
}
