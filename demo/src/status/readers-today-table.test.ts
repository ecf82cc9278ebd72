import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { siteViews } from './readers-today-table.ts';

describe('siteViews()', () => {
  it('lists sites with their sources’ names, most viewed first', () =>
    assert.deepEqual(
      siteViews(
        {
          since: '2026-05-08T00:00:00.000Z',
          sources: [
            { sourceId: 'src_1', views: 3, origins: [{ origin: 'https://a.test', views: 3 }] },
            {
              sourceId: 'src_2',
              views: 6,
              origins: [
                { origin: 'other', views: 5 },
                { origin: 'https://a.test', views: 1 },
              ],
            },
          ],
        },
        new Map([['src_1', 'Q2 revenue']]),
      ),
      [
        { site: 'other sites', source: 'src_2', views: 5 },
        { site: 'https://a.test', source: 'Q2 revenue', views: 3 },
        { site: 'https://a.test', source: 'src_2', views: 1 },
      ],
    ));
});
