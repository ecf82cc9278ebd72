import { Transform, type TransformCallback } from 'node:stream';

/** The first eight bytes of every PNG, and the chunk that must follow (PNG, 5.2 and 11.2.2). */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const FIRST_CHUNK = Buffer.from('IHDR');

/** Signature, length, type, width and height of the first chunk. */
const HEAD_BYTES = 24;

/** What a browser can decode without harm: a chart has 1.4 megapixels. */
const MAX_PIXELS = 25_000_000;
const MAX_SIDE_PX = 10_000;

/** What came is no PNG, or too much of one. */
export class ImageError extends Error {
  constructor(reason: string) {
    super(`Cannot pass the image on: ${reason}`);
    this.name = 'ImageRefused';
  }
}

/** Lets the bytes of a PNG pass, fails with `ImageError` on all else. */
export class PngValidator extends Transform {
  readonly #limitBytes: number;
  #head: Buffer | undefined = Buffer.alloc(0);
  #passedBytes = 0;

  constructor(limitBytes: number) {
    super();
    this.#limitBytes = limitBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#passedBytes += chunk.length;
    if (this.#passedBytes > this.#limitBytes) return done(new ImageError('it is too large'));
    if (this.#head === undefined) return done(null, chunk);
    this.#head = Buffer.concat([this.#head, chunk]);
    if (this.#head.length < HEAD_BYTES) return done();
    const head = this.#head;
    this.#head = undefined;
    if (!isPngHeader(head)) return done(new ImageError('it is no PNG of a sensible size'));
    return done(null, head);
  }

  override _flush(done: TransformCallback): void {
    done(this.#head === undefined ? null : new ImageError('it is too short'));
  }
}

/** Returns whether `head`, 24 bytes at least, begins a PNG whose size is sensible. */
export function isPngHeader(head: Buffer): boolean {
  if (!head.subarray(0, 8).equals(SIGNATURE) || !head.subarray(12, 16).equals(FIRST_CHUNK)) return false;
  const [width, height] = [head.readUInt32BE(16), head.readUInt32BE(20)];
  const isSensible = width > 0 && height > 0 && width <= MAX_SIDE_PX && height <= MAX_SIDE_PX;
  return isSensible && width * height <= MAX_PIXELS;
}
