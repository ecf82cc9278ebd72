import { html, nothing, type TemplateResult } from 'lit';
import { baseUrlFor } from '../states/install-stand-in.ts';
import { declarationsOf } from '../theme/look.ts';
import { styleProperties } from '../ui/style-properties.ts';
import { directionOf } from './languages.ts';
import type { Settings } from './settings.ts';

/** The card as the settings describe it, asking the BFF of this Studio. */
export function cardTemplate(settings: Settings): TemplateResult {
  const { sourceId, variant, open, live, label, headingLevel, theme, language, look, state } = settings;
  return html`<pulse-card
    source-id=${sourceId || nothing}
    base-url=${baseUrlFor(state)}
    variant=${variant}
    ?open=${open}
    ?live=${live}
    label=${label || nothing}
    heading-level=${headingLevel}
    loading="eager"
    theme=${theme}
    lang=${language || nothing}
    dir=${language ? directionOf(language) : nothing}
    ${styleProperties(declarationsOf(look, theme))}
  ></pulse-card>`;
}
