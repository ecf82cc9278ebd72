import { readManifest, type CardManifest, type CustomElementsManifest } from './manifest.ts';

const manifests = import.meta.glob<CustomElementsManifest>('../../../packages/widget/custom-elements.json', {
  eager: true,
  import: 'default',
});

/** What the widget's own manifest says of the card; empty where the widget was not built. */
export const CARD_MANIFEST: CardManifest = readManifest(Object.values(manifests)[0] ?? { modules: [] }, 'pulse-card');

/** Attributes that the preview has a control of its own for. */
export const OWN_CONTROLS: readonly string[] = ['source-id', 'lang', 'dir'];

/** Every attribute that the preview sets; looks bring a theme, and readers unfold the analysis. */
export const ATTRIBUTE_NAMES: readonly string[] = [
  ...new Set([...OWN_CONTROLS, 'theme', 'open', ...CARD_MANIFEST.attributes.map(({ name }) => name)]),
];
