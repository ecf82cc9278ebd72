import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { csvParse } from 'd3-dsv';

/** The folder with the public data: the `vega-datasets` npm package. */
export const DATASETS_FOLDER = fileURLToPath(new URL('../data/', import.meta.resolve('vega-datasets')));

/** Reads a table of comma-separated values as rows of text. */
export function readCsv<Column extends string>(file: string): Record<Column, string>[] {
  return csvParse(readFileSync(`${DATASETS_FOLDER}${file}`, 'utf8')) as Record<Column, string>[];
}

/** Reads a table that is stored as JSON. */
export function readJson<Row>(file: string): Row[] {
  return JSON.parse(readFileSync(`${DATASETS_FOLDER}${file}`, 'utf8')) as Row[];
}
