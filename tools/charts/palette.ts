/** The colors of charts. Charts are images with a white background, even in the dark theme. */
export const INK = {
  background: '#ffffff',
  text: '#111827',
  axis: '#5b6475',
  grid: '#e6e9ef',
  muted: '#b3bac6',
} as const;

/** Each chart has one accent. If a chart has a second color, it is a tint of the accent, or gray. */
export const ACCENT = {
  indigo: '#4338ca',
  teal: '#0d9488',
  orange: '#d9480f',
  blue: '#1d6fd8',
  green: '#2f8f3e',
  rose: '#be2d5b',
  amber: '#d99a06',
  violet: '#7c3aed',
} as const;
