import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lacksChartOrigin, operatorLine, originOf, policyFactsOf, policyLines, siteVerdict } from './policy.ts';

const FACTS = {
  bffOrigin: 'https://pulse.example.com',
  scriptSource: 'https://pulse.example.com',
  imageOrigins: ['https://pulse.example.com', 'https://cdn.example.com'],
};
const CONFIG = {
  publicUrl: 'https://pulse.example.com/bff',
  allowedOrigins: ['https://www.example.com'],
  ownOrigins: ['https://pulse.example.com', 'http://127.0.0.1:4020'],
  images: { mode: 'direct', hosts: [] as string[] },
} as const;

describe('policyLines()', () => {
  it('allows the script, the data, and the charts that an HTML snippet loads', () => {
    assert.deepEqual(policyLines('html', FACTS), [
      'script-src https://pulse.example.com',
      'connect-src https://pulse.example.com',
      'img-src https://pulse.example.com https://cdn.example.com',
    ]);
  });

  it('allows only the pinned script on a CDN', () => {
    const pinnedUrl = 'https://cdn.example.net/npm/card@1.2.3/dist/card.js';
    for (const tab of ['html', 'server'] as const)
      assert.equal(policyLines(tab, policyFactsOf(CONFIG, undefined, pinnedUrl))[0], `script-src ${pinnedUrl}`);
  });

  it('doesn’t allow third-party scripts for a bundled card', () => {
    assert.ok(policyLines('react', FACTS).every((line) => !line.startsWith('script-src')));
  });

  it('allows only the frame if the code is an iframe', () => {
    assert.deepEqual(policyLines('iframe', FACTS), ['frame-src https://pulse.example.com']);
  });
});

describe('policyFactsOf()', () => {
  it('uses the chart’s origin if PULSE_IMAGE_HOSTS isn’t set', () => {
    assert.deepEqual(policyFactsOf(CONFIG, 'https://cdn.example.com'), FACTS);
  });

  it('uses the hosts in PULSE_IMAGE_HOSTS if the variable is set', () => {
    const images = { mode: 'direct', hosts: ['img.example.com'] } as const;
    assert.deepEqual(policyFactsOf({ ...CONFIG, images }, 'https://cdn.example.com').imageOrigins, [
      'https://pulse.example.com',
      'https://img.example.com',
    ]);
  });

  it('lists only the BFF if the BFF serves the charts', () => {
    const images = { mode: 'proxy', hosts: ['img.example.com'] } as const;
    assert.deepEqual(policyFactsOf({ ...CONFIG, images }, undefined).imageOrigins, ['https://pulse.example.com']);
  });
});

describe('lacksChartOrigin()', () => {
  it('returns true only if charts come from an unknown host and PULSE_IMAGE_HOSTS isn’t set', () => {
    assert.equal(lacksChartOrigin(CONFIG, undefined), true);
    assert.equal(lacksChartOrigin(CONFIG, 'https://cdn.example.com'), false);
    assert.equal(lacksChartOrigin({ images: { mode: 'direct', hosts: ['img.example.com'] } }, undefined), false);
    assert.equal(lacksChartOrigin({ images: { mode: 'proxy', hosts: [] } }, undefined), false);
  });
});

describe('operatorLine()', () => {
  const own = 'http://localhost:4030';

  it('returns only the variable if the BFF’s start command is unknown', () =>
    assert.equal(
      operatorLine('PULSE_ALLOWED_ORIGINS=https://a.test,https://b.test', { command: undefined, ownOrigin: own }),
      'PULSE_ALLOWED_ORIGINS=https://a.test,https://b.test',
    ));

  it('returns the variable and the start command, without the origins that the command adds', () =>
    assert.equal(
      operatorLine(`PULSE_ALLOWED_ORIGINS=${own},http://127.0.0.1:4030,https://a.test`, {
        command: 'npm start',
        ownOrigin: own,
      }),
      'PULSE_ALLOWED_ORIGINS=https://a.test npm start',
    ));

  it('replaces the variable’s value in the start command', () => {
    const command = `TRUST_PROXY=1 PULSE_IMAGES='di'\\''re ct' PULSE_IMAGES_X=a PULSE_BFF_PORT=7 npm start`;
    assert.equal(
      operatorLine('PULSE_IMAGES=proxy', { command, ownOrigin: own }),
      'PULSE_IMAGES=proxy TRUST_PROXY=1 PULSE_IMAGES_X=a PULSE_BFF_PORT=7 npm start',
    );
    assert.match(operatorLine('TRUST_PROXY=2', { command, ownOrigin: own }), /^TRUST_PROXY=2 PULSE_IMAGES='/);
  });

  it('doesn’t change a line that doesn’t set a variable', () =>
    assert.equal(
      operatorLine('connect-src http://a.test', { command: 'npm start', ownOrigin: own }),
      'connect-src http://a.test',
    ));
});

describe('siteVerdict()', () => {
  for (const site of [
    'https://www.example.com',
    'https://www.example.com/a/page?x=1',
    'www.example.com',
    ' WWW.example.com ',
    'https://pulse.example.com',
    '127.0.0.1:4020',
  ]) {
    it(`allows ${site}`, () => assert.equal(siteVerdict(site, CONFIG).allowed, true));
  }

  for (const site of [
    'http://www.example.com',
    'https://example.com',
    'https://www.example.com:8443',
    'https://www.example.com.evil.test',
  ]) {
    it(`doesn’t allow ${site}`, () => assert.equal(siteVerdict(site, CONFIG).allowed, false));
  }

  for (const site of ['', 'my site', 'javascript:alert(1)', 'foo', 'https://', 'https://*.example.com']) {
    it(`asks for a valid URL if someone enters "${site}"`, () =>
      assert.equal(siteVerdict(site, CONFIG).allowed, undefined));
  }

  it('returns the complete line that the operator needs to allow the site', () => {
    const verdict = siteVerdict('https://blog.example.net/x', CONFIG);
    assert.ok(verdict.allowed === false);
    assert.equal(verdict.line, 'PULSE_ALLOWED_ORIGINS=https://www.example.com,https://blog.example.net');
  });

  it('allows every site if all are allowed', () => {
    assert.equal(siteVerdict('https://any.test', { ...CONFIG, allowedOrigins: '*' }).allowed, true);
  });
});

describe('originOf()', () => {
  for (const [text, origin] of [
    ['localhost:5190', 'http://localhost:5190'],
    ['LOCALHOST/report', 'http://localhost'],
    ['127.0.0.1:8123', 'http://127.0.0.1:8123'],
    ['[::1]:8123', 'http://[::1]:8123'],
    ['https://localhost:5190', 'https://localhost:5190'],
    ['localhost.example.com', 'https://localhost.example.com'],
    ['127.0.0.1.example.com', 'https://127.0.0.1.example.com'],
  ] as const) {
    it(`parses ${text} as ${origin}`, () => assert.equal(originOf(text), origin));
  }

  it('keeps a local URL with its port', () =>
    assert.equal(originOf('http://localhost:8123/x'), 'http://localhost:8123'));
});
