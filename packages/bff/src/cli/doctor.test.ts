import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import type { Diagnosis } from '@pulse-card/doctor';
import { startBffAndService, startBffProcess, UNREACHABLE } from '../testing/bff-process.ts';
import { runCommand } from '../testing/run-command.ts';
import { startFakeService } from '../testing/fake-service.ts';
import { serve } from '../testing/serve.ts';

const pageOf =
  (bff: string, sourceId = 'src_1'): RequestListener =>
  (_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end(
        `<script type="module" src="${bff}/pulse-card.js"></script><pulse-card source-id="${sourceId}"></pulse-card>`,
      );

/** Variables of a BFF that isn't running. */
const VARIABLES = { ...UNREACHABLE, PULSE_PUBLIC_URL: 'http://localhost:4020', PULSE_ADMIN_PORT: '2' };

describe('pulse-bff doctor', { timeout: 600_000 }, () => {
  it('exits with 0 if all cards on a page can work', async () => {
    await using service = await startFakeService();
    await using page = await serve(pageOf('http://localhost:4020'));
    const variables = { ...VARIABLES, PULSE_BASE_URL: service.url, PULSE_ALLOWED_ORIGINS: page.url };
    const { code, stdout, stderr } = await runCommand(variables, ['doctor', `${page.url}/report`]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      `Page: ${page.url}/report (1 card)\nOrigin: ${page.url} is allowed\n\nFound nothing that keeps cards from working.\n`,
    );
  });

  it('exits with 1 and prints each problem with the line to change, without control characters', async () => {
    await using service = await startFakeService();
    await using page = await serve(pageOf('http://localhost:4020', 'src_\u001b[31m'));
    const { code, stdout } = await runCommand({ ...VARIABLES, PULSE_BASE_URL: service.url }, [
      'doctor',
      `${page.url}/report`,
    ]);
    assert.equal(code, 1);
    assert.match(stdout, /^error origin_not_allowed: .*\n {2}.*\n {2}Change: PULSE_ALLOWED_ORIGINS=http:\/\/127/m);
    assert.match(stdout, /^error source_unknown: "src_\?\[31m" cannot/m);
    assert.match(stdout, /^Found 2 errors and 0 warnings\.$/m);
    assert.ok(!stdout.includes('\u001b') && !stdout.includes('canary'));
  });

  it('asks the running instance for its known sources, and prints JSON', async () => {
    // The time is so long that the instance doesn't request the list again during the test.
    await using bff = await startBffAndService({ PULSE_FRESH_MS: '86400000' });
    await fetch(`${bff.url}/v1/sources`);
    await using page = await serve(pageOf(bff.url, 'src_9'));
    const calls = bff.service.arrivals.length;
    const variables = {
      ...VARIABLES,
      PULSE_BASE_URL: bff.service.url,
      PULSE_ADMIN_PORT: new URL(bff.adminUrl).port,
      PULSE_PUBLIC_URL: bff.url,
      PULSE_ALLOWED_ORIGINS: page.url,
    };
    const { code, stdout } = await runCommand(variables, ['doctor', '--json', `${page.url}/report`]);
    const { ok, findings } = JSON.parse(stdout) as Diagnosis;
    assert.deepEqual([code, ok, findings.length, findings[0]?.code], [1, false, 1, 'source_unknown']);
    const asked = bff.service.arrivals.slice(calls).map(({ url }) => url);
    assert.ok(!asked.includes('/v1/sources') && !asked.includes('/v1/sources/src_9/pulse'));
  });

  it('doesn’t report a source as unknown if no list can be loaded', async () => {
    await using bff = await startBffProcess(UNREACHABLE);
    await using page = await serve(pageOf(bff.url));
    const variables = {
      ...UNREACHABLE,
      PULSE_ADMIN_PORT: new URL(bff.adminUrl).port,
      PULSE_PUBLIC_URL: bff.url,
      PULSE_ALLOWED_ORIGINS: page.url,
    };
    const { stdout } = await runCommand(variables, ['doctor', '--json', `${page.url}/report`]);
    assert.deepEqual((JSON.parse(stdout) as Diagnosis).findings, []);
  });

  it('says whether an origin is allowed even if the page and the service are unreachable', async () => {
    const origin = 'http://127.0.0.1:2';
    const refused = await runCommand(VARIABLES, ['doctor', origin]);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /^Origin: http:\/\/127\.0\.0\.1:2 is not allowed$/m);
    const allowed = await runCommand({ ...VARIABLES, PULSE_ALLOWED_ORIGINS: origin }, ['doctor', origin]);
    assert.equal(allowed.code, 1);
    assert.match(allowed.stdout, /^Origin: http:\/\/127\.0\.0\.1:2 is allowed$/m);
    assert.match(allowed.stdout, /^warning page_unreachable: /m);
  });

  it('names the BFF that it assumes if PULSE_PUBLIC_URL isn’t set', async () => {
    const { stderr } = await runCommand({ ...UNREACHABLE, PORT: '4020', PULSE_ADMIN_PORT: '2' }, [
      'doctor',
      'http://127.0.0.1:2',
    ]);
    assert.match(
      stderr,
      /^PULSE_PUBLIC_URL is not set, so the page is checked for a BFF at http:\/\/localhost:4020\. To check a running BFF/m,
    );
  });

  it('exits with 2 if the address or the configuration is invalid', async () => {
    const one = await runCommand(VARIABLES, ['doctor', 'www.example.com']);
    assert.deepEqual([one.code, one.stdout], [2, '']);
    assert.equal(one.stderr, 'URL: must be an address such as https://www.example.com/page, with its scheme\n');
    const other = await runCommand({ ...VARIABLES, PORT: 'x' }, ['doctor', 'https://www.example.com']);
    assert.deepEqual([other.code, other.stderr], [2, 'PORT: must be a whole number from 0 to 65535\n']);
  });
});
