import manifest from '@pulse-card/widget/custom-elements.json' with { type: 'json' };
import { type ElementManifest, readManifest } from './manifest.ts';

/** The card in the widget's manifest. */
export const CARD_MANIFEST: ElementManifest = readManifest(manifest, 'pulse-card');

/** The board in the widget's manifest. */
export const BOARD_MANIFEST: ElementManifest = readManifest(manifest, 'pulse-board');
