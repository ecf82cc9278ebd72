/** The card's colors: the names of its properties without `--pulse-card-`. A frame's URL uses the same names. */
export const FRAME_COLORS = [
  'background',
  'color',
  'muted',
  'accent',
  'warning',
  'border',
  'plate',
  'control',
  'surface',
  'warning-surface',
  'neutral',
  'neutral-surface',
] as const;

/** Fonts that readers' devices already have, by their names in a frame's URL. */
export const FRAME_FONTS = {
  system: 'system-ui, sans-serif',
  serif: "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, Georgia, serif",
  geometric: "Avenir, 'Avenir Next', Montserrat, Corbel, 'URW Gothic', sans-serif",
  rounded: "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, Comfortaa, Manjari, sans-serif",
} as const;
