import { svg, html, type TemplateResult } from 'lit';

const PATHS = {
  sun: svg`<circle cx="8" cy="8" r="2.75"/><path d="M8 1.5v1.2M8 13.3v1.2M14.5 8h-1.2M2.7 8H1.5M12.6 3.4l-.9.9M4.3 11.7l-.9.9M12.6 12.6l-.9-.9M4.3 4.3l-.9-.9"/>`,
  moon: svg`<path d="M13 9.7A5.6 5.6 0 0 1 6.3 3a5.6 5.6 0 1 0 6.7 6.7z"/>`,
  both: svg`<rect x="1.75" y="3" width="12.5" height="10" rx="2"/><path d="M8 3v10M8 4h4.5a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H8z" fill="currentColor"/>`,
  reset: svg`<path d="M3 3v3.5h3.5M3.3 6.4A5.25 5.25 0 1 1 2.8 9"/>`,
  copy: svg`<rect x="5.5" y="5.5" width="8" height="8" rx="1.75"/><path d="M10.5 5.5v-1.25a1.75 1.75 0 0 0-1.75-1.75h-4.5A1.75 1.75 0 0 0 2.5 4.25v4.5a1.75 1.75 0 0 0 1.75 1.75H5.5"/>`,
  check: svg`<path d="m3 8.5 3.25 3.25L13 5"/>`,
  cross: svg`<path d="m4 4 8 8M12 4l-8 8"/>`,
  warning: svg`<path d="M8 2.5 14.25 13H1.75zM8 6.5v3M8 11.25v.1"/>`,
  clock: svg`<path d="M2.75 5.25V2.5M2.75 5.25H5.5M3 5.1A5.5 5.5 0 1 1 2.5 8M8 5v3.25l2 1.25"/>`,
  pause: svg`<path d="M5.75 4v8M10.25 4v8"/>`,
  search: svg`<circle cx="7" cy="7" r="4.25"/><path d="m10.25 10.25 3.25 3.25"/>`,
  chevron: svg`<path d="m4 6 4 4 4-4"/>`,
  code: svg`<path d="m5 4.5-3.5 3.5L5 11.5M11 4.5l3.5 3.5L11 11.5"/>`,
  link: svg`<path d="M6.75 9.25a2.5 2.5 0 0 0 3.5 0l2.5-2.5a2.5 2.5 0 0 0-3.5-3.5l-.75.75M9.25 6.75a2.5 2.5 0 0 0-3.5 0l-2.5 2.5a2.5 2.5 0 0 0 3.5 3.5l.75-.75"/>`,
  pick: svg`<path d="m6 6 7.5 2.75-3.25 1.5L8.75 13.5zM2.5 2.5l1.25 1.25M6 2v1M2 6h1"/>`,
  eye: svg`<path d="M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8z"/><circle cx="8" cy="8" r="1.9"/>`,
  hide: svg`<path d="M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8zM3 13 13 3"/>`,
  info: svg`<circle cx="8" cy="8" r="5.75"/><path d="M8 7.5v3.25M8 5.1v.1"/>`,
} as const;

/** An icon's name. */
export type IconName = keyof typeof PATHS;

/** A 16 px icon in the text's color. The text next to the icon explains it. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${PATHS[name]}</svg>`;
}

/** The Pulse Card logo. */
export const logo: TemplateResult = html`<svg viewBox="0 0 24 24" aria-hidden="true">
  <rect width="24" height="24" rx="6" fill="#3d40d4" />
  <path
    d="M4 13h3.5l2.25-5.5 4 9 2.25-5H20"
    fill="none"
    stroke="#fff"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`;
