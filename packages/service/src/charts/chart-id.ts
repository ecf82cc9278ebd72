import { createHash } from 'node:crypto';

/** Hex digits of the digest that name a chart: 128 bits, which no two charts share by chance. */
const CHART_ID_LENGTH = 32;
const CHART_FILE = /^([0-9a-f]{32})\.png$/;

/** The name of a chart: the beginning of its SHA-256, so that equal bytes are kept once and an address never changes. */
export function chartIdOf(png: Buffer): string {
  return createHash('sha256').update(png).digest('hex').slice(0, CHART_ID_LENGTH);
}

/** The path that a chart is served under. */
export function chartPath(chartId: string): string {
  return `/charts/${chartId}.png`;
}

/** The chart that a file name speaks of, or undefined. */
export function chartIdIn(fileName: string): string | undefined {
  return CHART_FILE.exec(fileName)?.[1];
}
