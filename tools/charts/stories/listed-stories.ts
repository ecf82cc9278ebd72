import type { Story } from '../story.ts';
import { barleyYields } from './barley-yields.ts';
import { employment } from './employment.ts';
import { flightDelays } from './flight-delays.ts';
import { iowaElectricity } from './iowa-electricity.ts';
import { joblessByIndustry } from './jobless-by-industry.ts';
import { lifeExpectancy } from './life-expectancy.ts';
import { maunaLoa } from './mauna-loa.ts';
import { seattleRain } from './seattle-rain.ts';
import { storeRevenue } from './store-revenue.ts';
import { techStocks } from './tech-stocks.ts';

/** The sources that the list operation returns: ten, which is its maximum. */
export const LISTED_STORIES: readonly Story[] = [
  employment,
  seattleRain,
  maunaLoa,
  techStocks,
  joblessByIndustry,
  flightDelays,
  lifeExpectancy,
  barleyYields,
  iowaElectricity,
  storeRevenue,
];
