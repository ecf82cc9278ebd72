import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** A real one-pixel PNG. Each `shade` from 0 to 255 results in different bytes. `padding` bytes of noise make it large. */
export function pngOf(shade: number, padding = 0): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const pixels = deflateSync(Buffer.from([0, shade]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  // A private chunk, which decoders skip (PNG 3rd edition, 5.4).
  const noise = padding === 0 ? [] : [chunk('ruNd', randomBytes(padding))];
  const [head, body, end] = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, head, ...noise, body, end]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
