import { html, type TemplateResult } from 'lit';

/** Each icon's strokes, on a 16 by 16 grid. */
const PATHS = {
  earlierVersion: 'M3 8a5 5 0 1 0 2-4L3 6V3m5 2v3l2 1',
  updatesDelayed: 'M3 8a5 5 0 1 0 2-4L3 6V3m5 2v3l2 1',
  version: 'M3 8a5 5 0 1 0 2-4L3 6V3m5 2v3l2 1',
  overdue: 'M3 8a5 5 0 1 0 2-4L3 6V3m5 2v3l2 1',
  signedOut: 'M5 7h6v6H5zm1 0V5a2 2 0 0 1 4 0v2',
  badgeSignedOut: 'M5 7h6v6H5zm1 0V5a2 2 0 0 1 4 0v2',
  updatesPaused: 'M6 4v8m4-8v8',
  draft: 'M3 13l1-3 7-7 2 2-7 7z',
  empty: 'M2 2v12h12M5 11h0m2-2h0m2 1h0m2-3h0m2-2h0',
  unknown: 'M2 2v12h12M8 6l3 3m0-3L8 9',
  forbidden: 'M2 2v12h12M8 6l3 3m0-3L8 9',
  noAccess: 'M2 2v12h12M8 6l3 3m0-3L8 9',
  error: 'M3 3l10 10M6 4a4 4 0 0 1 6 3 3 3 0 0 1 1 5M4 6a3 3 0 0 0 1 6h6',
  noPicture: 'M3 3l10 10M6 3h7v7M3 6v7h7M3 11l3-3 5 5',
  spark: 'M8 1l1.7 5.3L15 8l-5.3 1.7L8 15l-1.7-5.3L1 8l5.3-1.7z',
  enlarge: 'M9 3h4v4m0-4L9 7M7 13H3V9m0 4l4-4',
} as const;

/** An icon in the color of the surrounding text. It is decorative, so it has no accessible name. */
export function icon(name: keyof typeof PATHS): TemplateResult {
  return strokes(PATHS[name]);
}

/** An icon drawn with this SVG path. */
export function strokes(path: string): TemplateResult {
  return html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d=${path} /></svg>`;
}
