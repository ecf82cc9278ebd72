import { createHash } from 'node:crypto';
import type { Database } from '../sql/database.ts';

/** The number of hex digits in a chart's id: 128 bits, so that no two charts share an id by chance. */
const CHART_ID_LENGTH = 32;
const CHART_FILE = /^([0-9a-f]{32})\.png$/;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * The id of a chart: the beginning of its SHA-256. Equal bytes have the same id, so they are stored only once, and the
 * content at an address never changes.
 */
export function chartIdOf(png: Buffer): string {
  return createHash('sha256').update(png).digest('hex').slice(0, CHART_ID_LENGTH);
}

/** The path that a chart is served under. */
export function chartPath(chartId: string): string {
  return `/charts/${chartId}.png`;
}

/** The id in a chart's file name, or undefined. */
export function parseChartFileName(fileName: string): string | undefined {
  return CHART_FILE.exec(fileName)?.[1];
}

/** The bytes of a chart, or undefined. */
export async function readChart(db: Database, chartId: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('charts').select('png').where('id', '=', chartId).executeTakeFirst();
  return row?.png;
}

/**
 * Returns whether `bytes` are a PNG. Checks its signature, its first chunk, and its last chunk (PNG 3rd edition, 5.2,
 * 5.3, 5.6).
 */
export function isPng(bytes: Buffer): boolean {
  if (!bytes.subarray(0, 8).equals(PNG_SIGNATURE) || bytes.toString('latin1', 12, 16) !== 'IHDR') return false;
  let at = PNG_SIGNATURE.length;
  // Length, type and checksum of a chunk take 12 bytes in addition to its data.
  while (at + 12 <= bytes.length) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true;
    at += 12 + bytes.readUInt32BE(at);
  }
  return false;
}
