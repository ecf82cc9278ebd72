import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { chartIdOf } from '../pulses/chart.ts';
import { isPng } from '../pulses/chart.ts';
import type { DocumentOutline } from './document-outline.ts';
import { type Fault, faultAt } from './document-error.ts';

/** The maximum size of a chart, in bytes. A larger chart isn't suitable for a web page. */
const CHART_LIMIT_BYTES = 10 * 1024 * 1024;

/** A chart that a run shows. */
export interface Chart {
  id: string;
  png: Buffer;
}

/** The charts in a document, keyed by their paths in the document, and the errors in the charts that can't be used. */
export interface ReadCharts {
  charts: Map<string, Chart>;
  faults: Fault[];
}

/** Reads every chart that the runs in a document refer to. Reads only from the document's folder. */
export async function readCharts({ runs }: DocumentOutline, folder: string): Promise<ReadCharts> {
  const home = await realpath(folder);
  const charts = new Map<string, Chart>();
  const faults: Fault[] = [];
  for (const [index, { image }] of runs.entries()) {
    if (image === null || image === undefined || charts.has(image)) continue;
    const read = await readChart(home, image);
    if (typeof read === 'string') faults.push(faultAt(['runs', index, 'image'], read));
    else charts.set(image, { id: chartIdOf(read), png: read });
  }
  return { charts, faults };
}

/** A chart's bytes, or what is wrong with the chart's path. */
async function readChart(home: string, image: string): Promise<Buffer | string> {
  if (image.includes('\0') || isAbsolute(image) || !isInside(home, resolve(home, image))) return OUTSIDE;
  try {
    const file = await realpath(resolve(home, image));
    // A symlink inside the folder may point outside it.
    if (!isInside(home, file)) return OUTSIDE;
    const facts = await stat(file);
    if (!facts.isFile()) return 'is not a file';
    if (facts.size > CHART_LIMIT_BYTES) return `is larger than ${CHART_LIMIT_BYTES} bytes`;
    const bytes = await readFile(file);
    return isPng(bytes) ? bytes : 'is not a PNG';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'no such file' : `can’t be read: ${code}`;
  }
}

const OUTSIDE = 'must be a path in the folder that contains the document';

function isInside(home: string, file: string): boolean {
  const path = relative(home, file);
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
