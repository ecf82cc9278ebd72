import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunningBff } from './running-bff.ts';
import { runningReport } from './running-report.ts';

type Status = RunningBff['status'];

const status: Status = {
  version: '0.1.0',
  key: { state: 'accepted' },
  keyExpiry: null,
  list: { freshness: 'fresh' },
  unreadableRows: 0,
  sources: [],
  hosts: [],
  budget: { limit: 60, spent: 12, others: 3 },
  problems: [],
};

const settings: RunningBff['settings'] = {
  publicUrl: 'https://pulse.test',
  allowedOrigins: ['https://www.page.test'],
  ownOrigins: ['https://pulse.test'],
  access: 'public',
  images: { mode: 'direct', hosts: [] },
  script: null,
};

const reportOf = (more: Partial<Status>, page?: string) =>
  runningReport(
    { url: 'http://127.0.0.1:4021', status: { ...status, ...more }, settings, ask: async () => ({}) },
    page,
  );

describe('runningReport()', () => {
  const failure = { kind: 'server-error', status: 503 };
  const at = '2026-11-23T12:00:00.000Z';
  for (const [host, line] of [
    [{ state: 'closed', lastAnswerAt: at, failure: null }, 'answers'],
    [{ state: 'closed', lastAnswerAt: null, failure: null }, 'not asked yet'],
    [{ state: 'degraded', lastAnswerAt: at, failure }, 'answers, but the last call failed: it returned 503'],
    [{ state: 'degraded', lastAnswerAt: null, failure }, 'returned 503'],
    [{ state: 'open', lastAnswerAt: at, failure }, 'returned 503'],
  ] as const)
    it(`reports a host in the state "${host.state}" ${host.lastAnswerAt ? 'after' : 'without'} an answer: ${line}`, () => {
      const { lines } = reportOf({ hosts: [{ host: 'alt', ...host }] });
      assert.ok(lines.includes(`PULSE_ALT_BASE_URL: ${line}`), lines.join('\n'));
    });

  for (const [key, works, line] of [
    [{ state: 'accepted' }, true, /^Key: the service accepts it$/m],
    [{ state: 'untried' }, false, /^Key: the service has not answered a call with it yet$/m],
    [{ state: 'refused' }, false, /^Key: .+ Create a new key/m],
    [{ state: 'refused', missingScope: 'pulses:read' }, false, /^Key: .+ lacks the scope pulses:read/m],
  ] as const)
    it(`${works ? 'succeeds' : 'fails'} if the state of the key is ${JSON.stringify(key)}`, () => {
      const report = reportOf({ key });
      assert.equal(report.works, works);
      assert.match(report.lines.join('\n'), line);
    });

  it('reports the rate window, the origins, and each problem with advice', () => {
    const problems = [{ headline: 'It is\u001b[2J full.', advice: 'Empty it.' }];
    const text = reportOf({ problems }, 'https://other.test/page').lines.join('\n');
    assert.match(text, /^Rate window: 45 of 60 calls left$/m);
    assert.match(text, /^Change: PULSE_ALLOWED_ORIGINS=https:\/\/www\.page\.test,https:\/\/other\.test$/m);
    assert.match(text, /^Problem: It is\?\[2J full\. Empty it\.$/m);
  });
});
