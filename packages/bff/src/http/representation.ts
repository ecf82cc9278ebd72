import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Encoding } from './accepted-encoding.ts';
import { entityTagOf } from './entity-tag.ts';

/** Smaller bodies gain nothing from compression: its frame and the header that names it outweigh what it saves. */
const MIN_COMPRESSED_BYTES = 200;

/** Brotli 5 costs about as much as gzip 6 and is smaller; it runs once for each body. */
const BROTLI_QUALITY = 5;

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
  readonly #forms = new Map<Encoding, EncodedRepresentation>();

  constructor(content: string | Buffer, contentType: string) {
    this.#identity = typeof content === 'string' ? Buffer.from(content) : content;
    this.#contentType = contentType;
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
    return this.#formWith(compress(this.#identity, encoding), ['Content-Encoding', encoding]);
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

function compress(bytes: Buffer, encoding: Exclude<Encoding, 'identity'>): Buffer {
  if (encoding === 'gzip') return gzipSync(bytes);
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
}
