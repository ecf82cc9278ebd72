import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { topicOf } from '../../observability/problem.ts';
import { refusalProblems } from './refused-charts.ts';

describe('refusalProblems()', () => {
  it('names each host once, with the reason and the number of its charts', () => {
    const refusedCharts = [
      { host: 'cdn.test', reason: 'http', charts: 3 },
      { host: 'img.test', reason: 'not-listed', charts: 1 },
    ] as const;
    const found = refusalProblems(refusedCharts);
    assert.deepEqual(
      found.map(({ headline }) => headline),
      [
        '3 charts aren’t shown, because the address on cdn.test begins with http:. Readers see only the text.',
        'A chart isn’t shown, because the address on img.test is not in PULSE_IMAGE_HOSTS. Readers see only the text.',
      ],
    );
    assert.deepEqual(found.map(topicOf), ['chart_refused cdn.test', 'chart_refused img.test']);
  });
});
