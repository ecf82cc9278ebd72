import type { PublicPulse } from '@pulse-card/contract';

/**
 * The parts of a frame page that its structured data describes. The text is plain, and the addresses are absolute.
 */
export interface DescribedPulse {
  readonly title: string;
  /** Empty if the pulse has no text, or if the text is withheld. */
  readonly finding: string;
  /** The address of the page. */
  readonly url: string;
  readonly pulse: Pick<PublicPulse, 'imageUrl' | 'completedAt'>;
}

/**
 * The chart was drawn from data, and a trained model wrote the text. The two terms come from the IPTC vocabulary in
 * schema.org.
 */
const CHART_SOURCE = 'https://schema.org/DataDrivenMediaDigitalSource';
const TEXT_SOURCE = 'https://schema.org/TrainedAlgorithmicMediaDigitalSource';

/**
 * Returns JSON-LD that describes how the chart and the finding were made. The chart is an `ImageObject`, and the
 * finding is a `TextObject` that describes it. The element is a data block, so no script policy applies to it. Empty if
 * the pulse has neither a chart nor a finding.
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
  // The text is escaped, so that it can't end the element or start a comment in it.
  return `<script type="application/ld+json">${json.replaceAll('<', String.raw`\u003c`)}</script>`;
}
