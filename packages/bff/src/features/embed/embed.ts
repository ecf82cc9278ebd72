import type { OpenFeature } from '../../feature.ts';
import { EMBED_ROUTE } from './embed-route.ts';
import { OEMBED_ROUTE } from './oembed-route.ts';

/** Pages for frames (`/embed/{id}`), and oEmbed, which announces them. */
export const openEmbed: OpenFeature = () => ({ name: 'embed', routes: [EMBED_ROUTE, OEMBED_ROUTE] });
