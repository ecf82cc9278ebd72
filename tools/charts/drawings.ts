import type { EChartsOption } from 'echarts';
import { chartName, chartSvg } from './render-chart.ts';
import { barleyYields } from './stories/barley-yields.ts';
import { employment } from './stories/employment.ts';
import { flightDelays } from './stories/flight-delays.ts';
import { iowaElectricity } from './stories/iowa-electricity.ts';
import { joblessByIndustry } from './stories/jobless-by-industry.ts';
import { lifeExpectancy } from './stories/life-expectancy.ts';
import { maunaLoa } from './stories/mauna-loa.ts';
import { seattleRain } from './stories/seattle-rain.ts';
import { techStocks } from './stories/tech-stocks.ts';

/** The charts for each of the demo's sources, newest first. */
const CHARTS: Readonly<Record<string, () => EChartsOption[]>> = {
  src_us_employment: employment,
  src_seattle_rain: seattleRain,
  src_co2_mauna_loa: maunaLoa,
  src_tech_stocks: techStocks,
  src_jobless_by_industry: joblessByIndustry,
  src_flight_delays: flightDelays,
  src_life_expectancy: lifeExpectancy,
  src_barley_yields: barleyYields,
  src_iowa_electricity: iowaElectricity,
};

/** A drawing and the path to its PNG file, which is named after its content. */
export interface Drawing {
  readonly path: string;
  readonly svg: string;
}

/** Draws a source's charts. The same data always produces the same drawings. */
export function drawingsOf(sourceId: string): Drawing[] {
  return (CHARTS[sourceId]?.() ?? []).map((option) => {
    const svg = chartSvg(option);
    return { path: `charts/${chartName(svg)}.png`, svg };
  });
}
