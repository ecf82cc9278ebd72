import { frameThemeOf } from '@pulse-card/widget/snippet';
import { FONTS } from '../theme/look.ts';
import type { Settings } from './settings.ts';

const FRAME_FONT = 'system-ui, sans-serif';

/**
 * The settings that an iframe can show. The frame is light or dark on every page. The card in the frame is collapsed,
 * and has only those parts of a look that the address can express.
 */
export function frameSettingsOf(settings: Settings): Settings {
  const { look, theme } = settings;
  const isNamed = FONTS.some(({ value, name }) => name !== undefined && value === look.font);
  return {
    ...settings,
    theme: frameThemeOf(theme),
    open: false,
    live: false,
    history: false,
    actions: '',
    label: '',
    reviewedBy: '',
    look: { ...look, font: isNamed ? look.font : FRAME_FONT, sizeEm: null, spacingEm: null, maxWidthEm: null },
  };
}
