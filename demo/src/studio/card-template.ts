import { html, nothing, type TemplateResult } from 'lit';
import { baseUrlFor } from '../states/install-stand-in.ts';
import { SAMPLE_ANSWER } from '../states/sample-pulse.ts';
import { declarationsOf } from '../theme/look.ts';
import { styleProperties } from '../ui/style-properties.ts';
import { frameSettingsOf } from './frame-settings.ts';
import { directionOf } from './languages.ts';
import type { Settings } from './settings.ts';

/**
 * The card with the given settings. The card sends its requests to this Studio's BFF. While the sources load, the card
 * shows a skeleton. If there are no sources, the card shows a sample.
 */
export function cardTemplate(chosen: Settings, isLoading = false): TemplateResult {
  const settings = chosen.tab === 'iframe' ? frameSettingsOf(chosen) : chosen;
  const sourceId = settings.sourceId || (isLoading ? '' : SAMPLE_ANSWER.sourceId);
  const {
    variant,
    open,
    live,
    history,
    actions,
    label,
    headingLevel,
    theme,
    chartTheme,
    reviewedBy,
    language,
    look,
    state,
  } = settings;
  return html`<pulse-card
    source-id=${sourceId}
    base-url=${baseUrlFor(state, sourceId)}
    variant=${variant}
    ?open=${open || state === 'history'}
    ?live=${live}
    ?history=${history || state === 'history'}
    actions=${actions || nothing}
    label=${label || nothing}
    heading-level=${headingLevel}
    loading="eager"
    theme=${theme}
    chart-theme=${chartTheme}
    ai-reviewed-by=${reviewedBy || nothing}
    lang=${language || nothing}
    dir=${language ? directionOf(language) : nothing}
    ${styleProperties(declarationsOf(look, theme))}
  ></pulse-card>`;
}
