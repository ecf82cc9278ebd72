import { html, type TemplateResult } from 'lit';
import { baseUrlFor } from '../states/install-stand-in.ts';
import { SAMPLE_ANSWER } from '../states/sample-pulse.ts';
import { shownDeclarationsOf } from '../theme/look.ts';
import { attributes } from '../ui/attributes.ts';
import { styleProperties } from '../ui/style-properties.ts';
import { CARD_ATTRIBUTES } from './card-attributes.ts';
import { frameSettingsOf } from './code.ts';
import { directionOf } from './languages.ts';
import { schemeOf, type Settings, valueOf } from './settings.ts';

/**
 * The card with the given settings. It sends its requests to this Studio's BFF. It shows a skeleton while the sources
 * load, and a sample if there are no sources.
 */
export function cardTemplate(chosen: Settings, isLoading = false): TemplateResult {
  const settings = chosen.tab === 'iframe' ? frameSettingsOf(chosen) : chosen;
  const { language, look, state } = settings;
  const sourceId = settings.sourceId || (isLoading ? '' : SAMPLE_ANSWER.sourceId);
  const changed = CARD_ATTRIBUTES.flatMap(({ name, kind, preset }) => {
    const value = valueOf(settings, name);
    return value === preset ? [] : [[name, kind === 'switch' ? '' : value]];
  });
  const values = {
    ...(Object.fromEntries(changed) as Record<string, string>),
    ...(language !== '' && { lang: language, dir: directionOf(language) }),
    ...(state === 'history' && { history: '', open: '' }),
    'source-id': sourceId,
    'base-url': baseUrlFor(state, sourceId),
    loading: 'eager',
  };
  return html`<pulse-card
    ${attributes(values)}
    ${styleProperties(shownDeclarationsOf(look, schemeOf(settings)))}
  ></pulse-card>`;
}
