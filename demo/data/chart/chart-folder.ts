import { mkdirSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EChartsOption } from 'echarts';
import { chartName, chartPng, chartSvg } from './render-chart.ts';

/** Keeps charts as files that are named after their content, so that an existing chart is not drawn again. */
export interface ChartFolder {
  /** Draws a chart unless its file exists. Returns the path of the file relative to the import document. */
  add(option: EChartsOption): Promise<string>;
  /** The number of charts that were drawn, and the number that already existed. */
  readonly counts: { readonly drawn: number; readonly kept: number };
}

/** Opens the `charts` folder inside `folder`. Creates the `charts` folder if it is missing. */
export function openChartFolder(folder: string): ChartFolder {
  mkdirSync(join(folder, 'charts'), { recursive: true });
  const counts = { drawn: 0, kept: 0 };
  return {
    counts,
    async add(option) {
      const svg = chartSvg(option);
      const path = `charts/${chartName(svg)}.png`;
      if (existsSync(join(folder, path))) {
        counts.kept += 1;
        return path;
      }
      writeWhole(join(folder, path), await chartPng(svg));
      counts.drawn += 1;
      return path;
    },
  };
}

/** The file is renamed once it is complete, so an interrupted run leaves no incomplete picture under the final name. */
function writeWhole(file: string, bytes: Uint8Array): void {
  writeFileSync(`${file}.part`, bytes);
  renameSync(`${file}.part`, file);
}
