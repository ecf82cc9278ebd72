import manifest from '@pulse-card/widget/custom-elements.json' with { type: 'json' };
import type { Manifest } from '../../../packages/widget/build/manifest.ts';
import { type ElementManifest, readManifest } from './manifest.ts';

/** The card in the widget's manifest. */
export const CARD_MANIFEST: ElementManifest = readManifest(manifest as Manifest, 'pulse-card');

/** The board in the widget's manifest. */
export const BOARD_MANIFEST: ElementManifest = readManifest(manifest as Manifest, 'pulse-board');
