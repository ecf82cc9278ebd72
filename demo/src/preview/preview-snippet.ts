import { snippetFor } from '@pulse-card/widget/snippet';
import type { Settings } from './settings.ts';

/** Attributes that the widget's own snippet takes care of. */
const OWN = new Set(['source-id', 'base-url', 'variant', 'label']);

/** The HTML that shows what the preview shows: the widget's own snippet, with the attributes and colours that were chosen. */
export function previewSnippet({ attributes, properties }: Settings, baseUrl: string, name: string | null): string {
  const { 'source-id': sourceId = '', 'base-url': chosenBase, variant, label } = attributes;
  const snippet = snippetFor({ sourceId, baseUrl, name: label ?? name, variant: variant as never });
  const more = Object.entries(attributes).filter(([attribute]) => !OWN.has(attribute));
  if (chosenBase) more.unshift(['base-url', chosenBase]);
  const added = more
    .map(([attribute, value]) => (value === '' ? ` ${attribute}` : ` ${attribute}="${escaped(value)}"`))
    .join('');
  return styleOf(properties) + snippet.replace(/<pulse-card [^>]*(?=>)/, (tag) => tag + added);
}

function styleOf(properties: Settings['properties']): string {
  const lines = Object.entries(properties).map(
    ([name, value]) => `    ${name}: ${value.replaceAll(/[<>{};]/g, '')};\n`,
  );
  return lines.length === 0 ? '' : `<style>\n  pulse-card {\n${lines.join('')}  }\n</style>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
