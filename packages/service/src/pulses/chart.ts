import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../sql/database.ts';

/** The number of hex digits in a chart's ID: 128 bits, so that no two charts share an ID by chance. */
const CHART_ID_LENGTH = 32;
const CHART_FILE = /^([0-9a-f]{32})\.png$/;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * A chart's ID: the beginning of its SHA-256 digest. Equal bytes have the same ID, so they are stored only once, and
 * the content at a URL never changes.
 */
export function chartIdOf(png: Buffer): string {
  return createHash('sha256').update(png).digest('hex').slice(0, CHART_ID_LENGTH);
}

/** The path at which a chart is served. */
export function chartPath(chartId: string): string {
  return `/charts/${chartId}.png`;
}

/** The ID in a chart's file name, or undefined. */
export function parseChartFileName(fileName: string): string | undefined {
  return CHART_FILE.exec(fileName)?.[1];
}

/**
 * How much of a chart one query reads, in bytes. Most charts are smaller. SQLite reads the whole chart for each part,
 * so smaller parts cost more.
 */
const PART_BYTES = 256 * 1024;

/** A chart's size in bytes, or undefined if the chart doesn't exist. */
export async function chartSize(db: Database, chartId: string): Promise<number | undefined> {
  const size = sql<number>`length(png)`.as('size');
  return (await db.selectFrom('charts').select(size).where('id', '=', chartId).executeTakeFirst())?.size;
}

/** Reads a chart part by part, so that little of it stays in memory while a slow client receives it. */
export async function* chartParts(db: Database, chartId: string, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < sizeBytes; from += PART_BYTES) {
    const part = sql<Buffer>`substr(png, cast(${from + 1} as integer), cast(${PART_BYTES} as integer))`.as('part');
    yield (await db.selectFrom('charts').select(part).where('id', '=', chartId).executeTakeFirstOrThrow()).part;
  }
}

/**
 * Returns whether `bytes` is a PNG. Checks its signature, its first chunk, and its last chunk (PNG 3rd edition, 5.2,
 * 5.3, 5.6).
 */
export function isPng(bytes: Buffer): boolean {
  if (!bytes.subarray(0, 8).equals(PNG_SIGNATURE) || bytes.toString('latin1', 12, 16) !== 'IHDR') return false;
  let at = PNG_SIGNATURE.length;
  // A chunk's length, type, and checksum take 12 bytes in addition to its data.
  while (at + 12 <= bytes.length) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true;
    at += 12 + bytes.readUInt32BE(at);
  }
  return false;
}
