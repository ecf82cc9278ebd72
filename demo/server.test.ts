import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { PAGES } from './build/shell-plugin.ts';
import { startDemo, type RunningDemo } from './server.ts';

const BFF_URL = 'http://localhost:1';

describe('startDemo()', () => {
  let demo: RunningDemo;
  before(async () => {
    demo = await startDemo({ port: 0, bffUrl: `${BFF_URL}/` });
  });
  after(() => demo.close());

  for (const { path, title } of PAGES) {
    it(`serves the page "${title}", which loads the card from the BFF`, async () => {
      const response = await fetch(`${demo.url}${path}`);
      const page = await response.text();
      assert.equal(response.status, 200);
      assert.ok(page.includes(`src="${BFF_URL}/pulse-card.js"`));
      assert.ok(page.includes(`aria-current="page">${title}<`));
      assert.match(page, /computed by a script/);
    });
  }

  it('stands in for a BFF in trouble', async () => {
    const response = await fetch(`${demo.url}/answers/upstream_unavailable/v1/pulses?ids=src_1`);
    assert.equal(response.status, 503);
    assert.equal(((await response.json()) as { code: string }).code, 'upstream_unavailable');
  });

  for (const path of ['/answers/', '/answers/ready/v1/pulses', '/answers/stale/v1/sources']) {
    it(`has no stand-in at ${path}`, async () => {
      assert.equal((await fetch(`${demo.url}${path}`)).status, 404);
    });
  }

  it('hangs up where the connection is to break off', async () => {
    await assert.rejects(fetch(`${demo.url}/answers/hung-up/v1/pulses?ids=src_1`));
  });

  it('hangs up, and goes on serving, when the BFF behind a stand-in does not answer', async () => {
    await assert.rejects(fetch(`${demo.url}/answers/stale/v1/pulses?ids=src_1`));
    assert.equal((await fetch(demo.url)).status, 200);
  });
});

describe('startDemo() on a taken port', () => {
  it('names the port and the variable that moves it', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, 'localhost', resolve));
    const { port } = taken.address() as AddressInfo;
    await assert.rejects(startDemo({ port, bffUrl: BFF_URL }), {
      message: `Cannot serve the demo: port ${port} is taken; set DEMO_PORT to another`,
    });
    taken.close();
  });
});

describe('RunningDemo.close()', () => {
  it('does not wait for an answer that never comes', async () => {
    const demo = await startDemo({ port: 0, bffUrl: BFF_URL });
    const hanging = assert.rejects(fetch(`${demo.url}/answers/hanging/v1/pulses?ids=src_1`));
    await fetch(demo.url);
    await demo.close();
    await hanging;
  });
});
