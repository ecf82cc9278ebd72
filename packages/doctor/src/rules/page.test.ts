import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PageFault } from '../facts.ts';
import { pageFinding } from './page.ts';

const asked = 'https://www.page.test/report';

const findingOf = (fault: PageFault, url = asked, from = asked) => pageFinding({ ok: false, asked: from, url, fault });

const answers = (status: number) => ({ kind: 'status', found: String(status) }) as const;

describe('pageFinding()', () => {
  for (const [what, fault, fix] of [
    ['a bad certificate', { kind: 'TLS' }, / NODE_EXTRA_CA_CERTS=ca\.pem pulse-doctor https:/],
    ['a login', answers(401), /^Allow the User-Agent "pulse-doctor" to load the page, or check a copy/],
    [
      'a server that blocks programs',
      answers(403),
      /^Allow the User-Agent "pulse-doctor" to load the page, or check a copy/,
    ],
    ['a missing page', answers(404), /^Check https:\/\/www\.page\.test\/report in a browser, then correct the URL/],
    ['an image', { kind: 'not-html', found: 'image/png' }, /URL of the page that contains the card/],
  ] as const)
    it(`suggests a fix for ${what}`, () => assert.match(findingOf(fault).fix, fix));

  it('suggests the requested URL if it redirects to a private URL', () => {
    const { title, fix } = findingOf({ kind: 'private' }, 'http://10.0.0.1/login');
    assert.equal(title, 'The page at http://10.0.0.1 wasn’t fetched: its IP address is private.');
    assert.equal(fix, 'Run in a terminal: pulse-doctor https://www.page.test/report');
  });

  it('reports only a warning if an origin was given instead of a page', () => {
    assert.equal(findingOf(answers(404)).severity, 'error');
    assert.equal(findingOf(answers(404), asked, 'https://www.page.test').severity, 'warning');
  });
});
