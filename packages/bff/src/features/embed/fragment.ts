import type { PulseAnswer } from '@pulse-card/contract';
import { type PulseRefusal, renderPulseCard, STYLE_FILE } from '@pulse-card/widget/server';
import type { Config } from '../../config.ts';
import { frameOptionsOf } from './frame-page.ts';
import type { FrameTheme } from './frame-theme.ts';

/** The card as HTML with declarative shadow DOM. All URLs in it are absolute. If there is an error, the card shows it. */
export function fragmentOf(
  sourceId: string,
  answer: PulseAnswer | PulseRefusal,
  query: URLSearchParams,
  { config: { publicUrl }, isPublic }: { readonly config: Pick<Config, 'publicUrl'>; readonly isPublic: boolean },
): string {
  const { variant, language, look } = frameOptionsOf(query);
  const card = renderPulseCard(answer, {
    sourceId,
    baseUrl: publicUrl,
    styleHref: `${publicUrl}/${STYLE_FILE}`,
    variant,
    theme: look.theme,
    chartTheme: look.chartTheme,
    language,
    // After an error, the element requests the pulse itself.
    embedData: 'pulse' in answer,
    isPublic,
  });
  return `${styleOf(sourceId, look)}${card}\n`;
}

/** The styles that only this card needs. */
function styleOf(sourceId: string, { css }: FrameTheme): string {
  if (css === '' || sourceId === '') return '';
  return `<style>${css.replaceAll(':root', `pulse-card[source-id="${sourceId}"]`)}</style>`;
}
