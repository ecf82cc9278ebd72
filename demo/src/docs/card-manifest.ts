import manifest from '@pulse-card/widget/custom-elements.json' with { type: 'json' };
import { type ElementManifest, readManifest } from './manifest.ts';

/** What the widget's own manifest says of the card. */
export const CARD_MANIFEST: ElementManifest = readManifest(manifest, 'pulse-card');

/** What the widget's own manifest says of the board. */
export const BOARD_MANIFEST: ElementManifest = readManifest(manifest, 'pulse-board');
