import type { FeatureDefinition } from '../../feature.ts';
import { EMBED_ROUTE } from './embed-route.ts';
import { FRAGMENT_ROUTE } from './fragment-route.ts';
import { frameWarnings } from './frame-warnings.ts';
import { OEMBED_ROUTE } from './oembed-route.ts';

/** Pages for frames (`/embed/{id}`), oEmbed for these pages, and the card as a fragment of HTML. */
export const embedFeature: FeatureDefinition = {
  open({ config, warn }) {
    for (const warning of frameWarnings(config)) warn(warning);
    return { name: 'embed', routes: [EMBED_ROUTE, FRAGMENT_ROUTE, OEMBED_ROUTE] };
  },
};
