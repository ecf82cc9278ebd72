import { FRAME_COLORS } from '@pulse-card/widget/snippet';
import { html, nothing, type TemplateResult } from 'lit';
import { STUDIO_URL } from '../shell/studio-url.ts';
import type { CopyButton } from '../ui/copy-button.ts';
import '../ui/copy-button.ts';
import { icon } from '../ui/icons.ts';
import { segmented } from '../ui/segmented.ts';
import { styleProperties } from '../ui/style-properties.ts';
import { hexOf, paletteFrom } from './color.ts';
import { type Look, rulesForAll, styleOf, withPalette } from './look.ts';
import { THEMES, themeOf } from './themes.ts';
import { colorOf, contrastFor, derivedColor, type Scheme, SCHEMES, type Swatch, TOKEN_NAMES } from './tokens.ts';
import { shareUrl } from './kept-look.ts';
import './color-controls.css';

/** The colors whose controls are always visible. The other colors are in a section that can be expanded. */
const FIRST_TOKENS = 7;

/** The data and callbacks for the color controls. */
export interface ColorControls {
  readonly look: Look;
  readonly theme: 'auto' | Scheme;
  readonly chartTheme: 'light' | 'auto';
  readonly onLook: (look: Look) => void;
  readonly onTheme: (theme: 'auto' | Scheme) => void;
  readonly onChartTheme: (chartTheme: 'light' | 'auto') => void;
  /** Called with the swatch that was pressed. */
  readonly onSwatch: (token: Swatch, scheme: Scheme, anchor: HTMLElement) => void;
}

/**
 * Shows the themes, a palette based on one accent color, a light and a dark swatch for each color, and reset buttons.
 */
export function colorControls(view: ColorControls): TemplateResult {
  return html`${themeChoice(view)} ${palette(view)} ${schemeChoice(view)} ${chartChoice(view)}
    <div class="swatches" role="toolbar" aria-label="Colors" @keydown=${moveInGrid}>
      <span class="head"></span>
      ${SCHEMES.map((scheme) => html`<span class="head">${icon(scheme === 'light' ? 'sun' : 'moon')}${scheme === 'light' ? 'Light' : 'Dark'}</span>`)}
      ${[...FRAME_COLORS.slice(0, FIRST_TOKENS), 'page' as const].map((token, index) => tokenRow(view, token, index === 0))}
    </div>
    <details class="more">
      <summary>More colors</summary>
      <div class="swatches" role="toolbar" aria-label="More colors" @keydown=${moveInGrid}>
        ${FRAME_COLORS.slice(FIRST_TOKENS).map((token, index) => tokenRow(view, token, index === 0))}
      </div>
    </details>
    ${exports(view)}`;
}

/** A swatch's element ID. */
export function swatchId(token: Swatch, scheme: Scheme): string {
  return `swatch-${token}-${scheme}`;
}

function themeChoice({ look, onLook }: ColorControls): TemplateResult {
  const current = themeOf(look);
  return html`<fieldset class="themes">
    <legend class="unseen">Themes</legend>
    ${THEMES.map(
      (theme) =>
        html`<label>
          <input type="radio" name="theme" .checked=${theme === current} @change=${() => onLook(theme)} />
          <span class="drawing" ${styleProperties([['background', colorOf(theme.colors, 'background', 'light')]])}>
            <i ${styleProperties([['background', colorOf(theme.colors, 'color', 'light')]])}></i>
            <i ${styleProperties([['background', colorOf(theme.colors, 'accent', 'light')]])}></i>
          </span>
          <span>${theme.title}</span>
        </label>`,
    )}
  </fieldset>`;
}

function schemeChoice({ theme, onTheme }: ColorControls): TemplateResult {
  return html`<div class="field scheme">
    <span>Scheme</span>
    ${segmented({
      label: 'Scheme of the card',
      options: [
        { value: 'auto', label: 'Same as page' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ],
      value: theme,
      onChange: onTheme,
    })}
  </div>`;
}

function chartChoice({ chartTheme, onChartTheme }: ColorControls): TemplateResult {
  return html`<div class="charts">
    <span>Charts in dark</span>
    <a href=${new URL('board/?charts', STUDIO_URL).href}>All charts both ways</a>
    ${segmented({
      label: 'Charts on dark pages',
      options: [
        { value: 'auto', label: 'Charts go dark' },
        { value: 'light', label: 'Keep light' },
      ],
      value: chartTheme,
      onChange: onChartTheme,
    })}
  </div>`;
}

function tokenRow(view: ColorControls, token: Swatch, isFirst: boolean): TemplateResult {
  return html`<span class="name">${TOKEN_NAMES[token]}</span>
    ${SCHEMES.map((scheme) => swatch(view, token, scheme, isFirst && scheme === 'light'))}`;
}

function swatch({ look, onSwatch }: ColorControls, token: Swatch, scheme: Scheme, isFirst: boolean): TemplateResult {
  const color = colorOf(look.colors, token, scheme);
  const contrast = contrastFor(look.colors, token, scheme);
  const fails = contrast?.passes === false;
  const words = contrast?.text || color.slice(1).toUpperCase();
  const isDerived =
    look.colors[token]?.[scheme] === undefined && derivedColor(look.colors, token, scheme) !== undefined;
  const title = contrast?.words ?? `${color.toUpperCase()}${isDerived ? ', follows the background' : ''}`;
  return html`<button
    type="button"
    id=${swatchId(token, scheme)}
    class="swatch ${fails ? 'fails' : ''} ${words.length > 4 ? 'hex' : ''}"
    tabindex=${isFirst ? 0 : -1}
    title=${title}
    aria-haspopup="dialog"
    @click=${(event: Event) => onSwatch(token, scheme, event.currentTarget as HTMLElement)}
  >
    <span class="unseen">${TOKEN_NAMES[token]}, ${scheme}, ${color}</span>
    <span class="chip" ${styleProperties([['background', color]])}></span>
    ${fails ? icon('warning') : nothing}<span aria-hidden="true">${words}</span>
  </button>`;
}

function palette({ look, onLook }: ColorControls): TemplateResult {
  const accent = colorOf(look.colors, 'accent', 'light');
  return html`<div class="field palette">
    <label for="palette-accent">Palette from one accent</label>
    <input
      id="palette-accent"
      type="color"
      .value=${accent}
      @change=${(event: Event) => {
        const color = hexOf((event.target as HTMLInputElement).value);
        if (color !== undefined) onLook(withPalette(look, paletteFrom(color)));
      }}
    />
  </div>`;
}

function exports(view: ColorControls): TemplateResult {
  const ways: readonly [label: string, text: CopyButton['text']][] = [
    ['CSS', cssOf(view)],
    ['Attributes', attributesOf(view)],
    ['Link', shareUrl],
  ];
  return html`<div class="exports" role="group" aria-label="Copy this look">
    <span>Copy as</span>
    ${ways.map(([label, text]) => html`<copy-button kind="second" label=${label} .text=${text}></copy-button>`)}
  </div>`;
}

function cssOf({ look, theme, chartTheme }: ColorControls): string {
  const rule = rulesForAll(look, theme) || '/* The default look needs no CSS. */';
  return chartTheme === 'light' ? rule : `/* Dark charts need an attribute: chart-theme="${chartTheme}". */\n${rule}`;
}

function attributesOf({ look, theme, chartTheme }: ColorControls): string {
  const style = styleOf(look, theme);
  return [
    ...(theme === 'auto' ? [] : [`theme="${theme}"`]),
    ...(chartTheme === 'light' ? [] : [`chart-theme="${chartTheme}"`]),
    ...(style === '' ? [] : [`style="${style.replaceAll('"', '&quot;')}"`]),
  ].join(' ');
}

/** Arrow keys move between swatches, so that the whole grid is a single tab stop. */
function moveInGrid(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 2, ArrowUp: -2 }[event.key];
  const swatches = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('.swatch')];
  const next = swatches[swatches.indexOf(event.target as HTMLElement) + (step ?? Number.NaN)];
  if (next === undefined) return;
  event.preventDefault();
  for (const swatch of swatches) swatch.tabIndex = swatch === next ? 0 : -1;
  next.focus();
}
