/** A chart's size, in pixels. */
export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

/** The first eight bytes of every PNG, and the type of the chunk that must follow (PNG, 5.2 and 11.2.2). */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const FIRST_CHUNK = Buffer.from('IHDR');
const LAST_CHUNK = Buffer.from('IEND');

/** The length, type, and checksum of a chunk, without its data. */
const CHUNK_BYTES = 12;

/** The signature, and the length, type, width, and height of the first chunk. */
const HEAD_BYTES = 24;

/** Sizes that a browser can safely decode. A typical chart is 1.4 megapixels. */
const MAX_PIXELS = 25_000_000;
const MAX_SIDE_PX = 10_000;

/** The size in a PNG's header. Undefined if `bytes` don't begin with a PNG header. */
export function pngSizeOf(bytes: Buffer): ChartSize | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  if (!bytes.subarray(0, 8).equals(SIGNATURE) || !bytes.subarray(12, 16).equals(FIRST_CHUNK)) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/**
 * The bytes of a complete PNG of an acceptable size, without any data after its last chunk (PNG, 5.3 and 11.2.5).
 * Undefined if `bytes` isn't such a PNG.
 */
export function pngIn(bytes: Buffer): Buffer | undefined {
  const { width, height } = pngSizeOf(bytes) ?? { width: 0, height: 0 };
  if (width === 0 || height === 0 || width > MAX_SIDE_PX || height > MAX_SIDE_PX) return undefined;
  if (width * height > MAX_PIXELS) return undefined;
  let at = SIGNATURE.length;
  while (at + CHUNK_BYTES <= bytes.length) {
    const isLast = bytes.subarray(at + 4, at + 8).equals(LAST_CHUNK);
    at += CHUNK_BYTES + bytes.readUInt32BE(at);
    if (isLast) return bytes.subarray(0, at);
  }
  return undefined;
}
