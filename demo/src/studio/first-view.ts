import { DEFAULT_SETTINGS, type Settings } from './settings.ts';

/** Below this width the Studio has one column, in pixels: `studio.css` says the same. */
const ONE_COLUMN_PX = 992;

/** Below this width a card takes all of it, in pixels. */
const PHONE_PX = 560;

/** The first view: a narrow window shows one page, and a phone shows the card as wide as the phone. */
export function firstView(): Pick<Settings, 'view' | 'width'> {
  const { view, width } = DEFAULT_SETTINGS;
  if (innerWidth >= ONE_COLUMN_PX) return { view, width };
  return { view: 'light', width: innerWidth < PHONE_PX ? 'full' : width };
}
