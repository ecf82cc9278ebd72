import type { PublicPulse } from '@pulse-card/contract';

/** The parts of a frame page that its structured data describes. Texts are clean, addresses absolute. */
export interface DescribedPulse {
  readonly title: string;
  /** Empty if there is none, or if it is withheld. */
  readonly finding: string;
  /** The address of the page. */
  readonly url: string;
  readonly pulse: Pick<PublicPulse, 'imageUrl' | 'completedAt'>;
}

/** Drawn from data, and written by a trained model: terms of the IPTC vocabulary in schema.org. */
const CHART_SOURCE = 'https://schema.org/DataDrivenMediaDigitalSource';
const TEXT_SOURCE = 'https://schema.org/TrainedAlgorithmicMediaDigitalSource';

/**
 * JSON-LD that describes how the chart and the finding were made. The chart is an `ImageObject`, and a `TextObject`
 * describes it. It is a data block, so no script policy applies to it. Empty if there is neither chart nor finding.
 */
export function structuredData({ title, finding, url, pulse }: DescribedPulse): string {
  const { imageUrl, completedAt } = pulse;
  const text = finding && { '@type': 'TextObject', text: finding, digitalSourceType: TEXT_SOURCE };
  const shared = { name: title, url, ...(completedAt && { dateCreated: completedAt }) };
  const described = imageUrl
    ? {
        '@type': 'ImageObject',
        ...shared,
        contentUrl: imageUrl,
        digitalSourceType: CHART_SOURCE,
        ...(text && { description: text }),
      }
    : text && { ...text, ...shared };
  if (!described) return '';
  const json = JSON.stringify({ '@context': 'https://schema.org', ...described });
  // No text can end the element or start a comment in it.
  return `<script type="application/ld+json">${json.replaceAll('<', String.raw`\u003c`)}</script>`;
}
