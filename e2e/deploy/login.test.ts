import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Front } from '@pulse-card/testkit/fronts/front';
import { startNginxFront } from '@pulse-card/testkit/fronts/nginx-front';
import { SERVICE_KEY, type FakeService, startFakeService } from '@pulse-card/testkit/service/fake-service';
import { type FakeCdn, startFakeCdn } from '@pulse-card/bff/testing/fake-cdn';
import { createPulseBff, type PulseBff } from '@pulse-card/bff';
import { until } from '@pulse-card/testkit/until';

const MEMBER = { Cookie: 'session=of-a-member' };

/** The headers that an application with a login might set on responses to signed-in users. */
const APPLICATIONS: Record<string, Record<string, string>> = {
  'that sets Vary and Cache-Control': { Vary: 'Cookie', 'Cache-Control': 'private, no-store' },
  'that sets only Cache-Control': { 'Cache-Control': 'private' },
  'that sets nothing': {},
  'that makes nginx store everything': { 'X-Accel-Expires': '300' },
};

for (const [name, headers] of Object.entries(APPLICATIONS))
  describe(`T-67: nginx, set up as in deploy/, in front of an application with a login ${name}`, () => {
    let cdn: FakeCdn;
    let upstream: FakeService;
    let portal: Portal;
    let front: Front;
    let run: string;
    before(async () => {
      cdn = await startFakeCdn();
      upstream = await startFakeService({ sources: 1, chartsUrl: `http://127.0.0.1:${cdn.port}` });
      portal = await startPortal(upstream.urls.A, `127.0.0.1:${cdn.port}`, headers);
      const pulse = `${portal.url}/v1/sources/${upstream.ids[0]}/pulse`;
      await until('there is a pulse', async () => (await fetch(pulse, { headers: MEMBER })).ok);
      const { pulse: latest } = (await (await fetch(pulse, { headers: MEMBER })).json()) as {
        pulse: { jobRunId: string };
      };
      run = latest.jobRunId;
      front = await startNginxFront(portal.url);
    });
    after(async () => {
      await front?.stop();
      await portal?.stop();
      await upstream?.close();
      await cdn?.[Symbol.asyncDispose]();
    });

    for (const path of [
      '/v1/sources/ID/pulse',
      '/v1/pulses?ids=ID',
      '/v1/sources',
      '/v1/sources/ID/image',
      '/v1/sources/ID/image?run=RUN',
      '/embed/ID',
    ])
      it(`never sends a signed-in user’s ${path} to anyone else`, async () => {
        const ask = async (own: Record<string, string> = {}) => {
          const url = front.url + path.replace('ID', upstream.ids[0] ?? '').replace('RUN', run);
          const answer = await fetch(url, { headers: own, redirect: 'manual' });
          await answer.arrayBuffer();
          return answer.status;
        };
        assert.equal(await ask(), 401);
        assert.equal(await ask(MEMBER), 200);
        await ask(MEMBER);
        assert.equal(await ask(), 401);
      });
  });

interface Portal {
  readonly url: string;
  stop(): Promise<void>;
}

/** An application that checks the session before requests reach the mounted BFF. */
async function startPortal(serviceUrl: string, imageHost: string, headers: Record<string, string>): Promise<Portal> {
  const bff: PulseBff = createPulseBff({
    PULSE_API_KEY: SERVICE_KEY,
    PULSE_BASE_URL: serviceUrl,
    PULSE_IMAGES: 'proxy',
    PULSE_IMAGE_HOSTS: imageHost,
    PULSE_RATE_WINDOW_MS: '1000',
    TRUST_PROXY: '1',
    LOG_LEVEL: 'silent',
  });
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.cookie !== MEMBER.Cookie) {
      response.writeHead(401).end('Sign in');
      return;
    }
    for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
    bff(request as never, response as never, () => response.end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  await bff.ready;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await bff.close();
    },
  };
}
