import { html, type TemplateResult } from 'lit';
import { icon, type IconName } from './icons.ts';

/** The kind of badge, which determines its color and icon. The icon conveys the kind without color. */
export type BadgeKind = 'good' | 'warning' | 'danger' | 'neutral';

const ICONS: Readonly<Record<BadgeKind, IconName>> = {
  good: 'check',
  warning: 'warning',
  danger: 'cross',
  neutral: 'info',
};

/** A short word with an icon on a tinted background. */
export function badge(kind: BadgeKind, words: string, iconName: IconName = ICONS[kind]): TemplateResult {
  return html`<span class="badge ${kind}">${icon(iconName)}${words}</span>`;
}

/** A sentence with an icon, in the color of its kind. */
export function verdict(
  kind: BadgeKind,
  words: string | TemplateResult,
  iconName: IconName = ICONS[kind],
): TemplateResult {
  return html`<p class="verdict ${kind}">${icon(iconName)}<span>${words}</span></p>`;
}
