import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { structuredData } from './structured-data.ts';

const URL = 'https://pulse.test/embed/src_1';
const pulse = { imageUrl: 'https://cdn.acme.test/run_1.png', completedAt: '2026-05-08T09:00:12.000Z' };
const described = { title: 'Q2 revenue', finding: 'Revenue rose.', url: URL, pulse };

/** The JSON in the data block. */
function dataOf(html: string): Record<string, unknown> {
  return JSON.parse(html.replace(/^<script type="application\/ld\+json">|<\/script>$/g, '')) as Record<string, unknown>;
}

describe('structuredData()', () => {
  it('says that the chart is drawn from data, and that a model wrote its description', () =>
    assert.deepEqual(dataOf(structuredData(described)), {
      '@context': 'https://schema.org',
      '@type': 'ImageObject',
      name: 'Q2 revenue',
      url: URL,
      dateCreated: '2026-05-08T09:00:12.000Z',
      contentUrl: 'https://cdn.acme.test/run_1.png',
      digitalSourceType: 'https://schema.org/DataDrivenMediaDigitalSource',
      description: {
        '@type': 'TextObject',
        text: 'Revenue rose.',
        digitalSourceType: 'https://schema.org/TrainedAlgorithmicMediaDigitalSource',
      },
    }));

  it('omits the description if there is no finding', () =>
    assert.equal(dataOf(structuredData({ ...described, finding: '' }))['description'], undefined));

  it('describes the finding if there is no chart', () => {
    const data = dataOf(structuredData({ ...described, pulse: { ...pulse, imageUrl: null } }));
    assert.deepEqual([data['@type'], data['text'], data['contentUrl']], ['TextObject', 'Revenue rose.', undefined]);
  });

  it('is empty without a chart and a finding', () =>
    assert.equal(structuredData({ ...described, finding: '', pulse: { ...pulse, imageUrl: null } }), ''));

  it('escapes a closing script tag in text', () => {
    const finding = '</script><!-- <script>alert(1)</script>';
    const html = structuredData({ ...described, finding });
    assert.deepEqual(html.match(/<[!/a-z]+/g), ['<script', '</script']);
    assert.equal((dataOf(html)['description'] as { text: string }).text, finding);
  });
});
