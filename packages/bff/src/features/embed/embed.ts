import type { FeatureDefinition } from '../../feature.ts';
import { DIRECT } from '../../http/public-fields.ts';
import { EMBED_ROUTE } from './embed-route.ts';
import { FRAGMENT_ROUTE } from './fragment-route.ts';
import { frameWarnings } from './frame-warnings.ts';
import { OEMBED_ROUTE } from './oembed-route.ts';

/** Pages for frames (`/embed/{id}`), oEmbed for these pages, and the card as a fragment of HTML. */
export const embedFeature: FeatureDefinition = {
  open({ config, warn, features }) {
    const charts = features.find(({ chartUrls }) => chartUrls)?.chartUrls ?? DIRECT;
    for (const warning of frameWarnings(config, charts)) warn(warning);
    return { name: 'embed', routes: [EMBED_ROUTE, FRAGMENT_ROUTE, OEMBED_ROUTE] };
  },
};
