import type { ChartSize } from '../../http/route.ts';

/** The first eight bytes of every PNG, and the type of the chunk that must follow (PNG, 5.2 and 11.2.2). */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const FIRST_CHUNK = Buffer.from('IHDR');
const LAST_CHUNK = Buffer.from('IEND');

/** The length, type, and checksum of a chunk, without its data. */
const CHUNK_BYTES = 12;

/** The signature, and the length, type, width, and height of the first chunk. */
const HEAD_BYTES = 24;

/** Returns the size in a PNG's header; undefined if `bytes` don't begin with a PNG header. */
export function pngSizeOf(bytes: Buffer): ChartSize | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  if (!bytes.subarray(0, 8).equals(SIGNATURE) || !bytes.subarray(12, 16).equals(FIRST_CHUNK)) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/**
 * Returns whether the chunks in `bytes` lead to the last chunk of a PNG (PNG, 5.3 and 11.2.5). If they don't, the file is
 * incomplete, or only its beginning is a PNG.
 */
export function hasPngEnd(bytes: Buffer): boolean {
  let at = SIGNATURE.length;
  while (at + CHUNK_BYTES <= bytes.length) {
    if (bytes.subarray(at + 4, at + 8).equals(LAST_CHUNK)) return true;
    at += CHUNK_BYTES + bytes.readUInt32BE(at);
  }
  return false;
}
