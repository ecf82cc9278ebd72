import { DEFAULT_SETTINGS, type Settings } from './settings.ts';

/** Below this width in pixels, the Studio has one column. `studio.css` uses the same value. */
const ONE_COLUMN_PX = 992;

/** Below this width in pixels, a card takes up the full width. */
const PHONE_PX = 560;

/** The first view. In a narrow window, it shows one page. On a phone, the card is as wide as the screen. */
export function firstView(): Pick<Settings, 'view' | 'width'> {
  const { view, width } = DEFAULT_SETTINGS;
  if (innerWidth >= ONE_COLUMN_PX) return { view, width };
  return { view: 'light', width: innerWidth < PHONE_PX ? 'full' : width };
}
