const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Says whether `bytes` are a PNG from its signature over its first chunk to its last (PNG 3rd edition, 5.2, 5.3, 5.6). */
export function isPng(bytes: Buffer): boolean {
  if (!bytes.subarray(0, 8).equals(SIGNATURE) || bytes.toString('latin1', 12, 16) !== 'IHDR') return false;
  let at = SIGNATURE.length;
  // Length, type and check of a chunk take 12 bytes besides its data.
  while (at + 12 <= bytes.length) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true;
    at += 12 + bytes.readUInt32BE(at);
  }
  return false;
}
