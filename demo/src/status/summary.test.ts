import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StatusDocument } from '@pulse-card/bff';
import { summaryOf } from './summary.ts';

const SUMMARY = { level: 'down', headline: 'The service has not answered for 6 minutes.', advice: 'Charts last.' };

/** The second sentence of a status with these hosts. */
function adviceFor(...hosts: { state: string; openForMs: number }[]): string {
  return summaryOf({ summary: SUMMARY, hosts } as unknown as StatusDocument, false).advice;
}

describe('summaryOf()', () => {
  it('begins with the time of the next attempt if no host responds', () => {
    const hosts = [16_000, 4_000].map((openForMs) => ({ state: 'open', openForMs }));
    assert.equal(adviceFor(...hosts), 'The next attempt is in 4 s. Charts last.');
  });

  it('doesn’t mention the next attempt while one is in progress or a host is responding', () => {
    for (const state of ['half-open', 'closed'])
      assert.equal(adviceFor({ state: 'open', openForMs: 9_000 }, { state, openForMs: 0 }), 'Charts last.');
  });

  it('shows that the server itself isn’t responding', () =>
    assert.equal(summaryOf(undefined, true).headline, 'This server isn’t responding.'));

  it('mentions the latest numbers only if the server has sent any', () => {
    const status = { summary: SUMMARY, hosts: [] } as unknown as StatusDocument;
    assert.match(summaryOf(status, true).advice, /The numbers below are the last ones it sent\.$/);
    assert.equal(summaryOf(undefined, true).advice, 'It has stopped, or this browser can’t reach it.');
  });
});
