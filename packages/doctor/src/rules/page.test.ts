import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PageFault } from '../facts.ts';
import { pageFinding } from './page.ts';

const asked = 'https://www.page.test/report';

const findingOf = (fault: PageFault, url = asked, from = asked) => pageFinding({ ok: false, asked: from, url, fault });

const unreachable = (layer: 'DNS' | 'TLS' | 'connection' | 'timeout' | 'body') =>
  ({ kind: 'unreachable', layer }) as const;
const answers = (status: number) => ({ kind: 'status', status }) as const;
const typed = (contentType: string) => ({ kind: 'not-html', contentType }) as const;

describe('pageFinding()', () => {
  for (const [what, fault, fix] of [
    [
      'a private IP address',
      { kind: 'private' },
      /^Run in a terminal: pulse-doctor https:\/\/www\.page\.test\/report$/,
    ],
    ['an unknown name', unreachable('DNS'), /^Correct the name www\.page\.test, or run /],
    ['a bad certificate', unreachable('TLS'), / NODE_EXTRA_CA_CERTS=ca\.pem pulse-doctor https:/],
    ['a closed port', unreachable('connection'), /^Start the server at https:\/\/www\.page\.test, or /],
    ['a silent server', unreachable('timeout'), /^Allow this machine through the firewall for /],
    ['a broken encoding', unreachable('body'), /^Send the page with a Content-Encoding header that /],
    ['too many redirects', { kind: 'redirects' }, /URL that a browser shows after all redirects$/],
    ['a redirect to another page', { kind: 'elsewhere' }, /^Allow the User-Agent /],
    ['a login', answers(401), /^Allow the User-Agent "pulse-doctor" to load the page, or check a copy/],
    [
      'a missing page',
      answers(404),
      /^Check https:\/\/www\.page\.test\/report in a browser, then correct the URL or fix the page$/,
    ],
    ['an image', typed('image/png'), /URL of the page that contains the card, or serve the page as text\/html$/],
  ] as const)
    it(`suggests one fix for ${what} other than rerunning the same command`, () => {
      const finding = findingOf(fault);
      assert.match(finding.fix, fix);
      assert.notEqual(finding.fix, `pulse-doctor ${asked}`);
      assert.ok(!finding.fix.includes('\n'));
    });

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
