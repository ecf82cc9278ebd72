import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from '@playwright/test';
import fc from 'fast-check';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { SERVICE_KEY, type FakeService, startFakeService } from '@pulse-card/testkit/service/fake-service';
import { createPulseBff } from '@pulse-card/bff';
import { freePort } from '@pulse-card/testkit/free-port';
import { BROWSER_VARIABLE } from '@pulse-card/testkit/system/programs';
import { type Front, frontFolder } from '@pulse-card/testkit/fronts/front';
import { startNginxFront } from '@pulse-card/testkit/fronts/nginx-front';
import { type PortalPage, type SessionPortal, startSessionPortal } from '@pulse-card/testkit/session-portal';

declare const portal: PortalPage;

const KEY = { kid: 'portal', secret: 'for-tests-alone-and-known-to-everyone' };

/** The number of action sequences that are tried with each setup, and the time after which no more are started. */
const RUNS = process.env['PULSE_TEST_LONG'] === undefined ? 12 : 200;
const TIME_LIMIT_MS = 8_000;

type Rights = Readonly<Record<string, readonly string[]>>;

type Step =
  | { readonly do: 'signIn'; readonly user: string }
  | { readonly do: 'mount'; readonly source: number }
  | { readonly do: 'signOut' | 'unmount' | 'move' | 'refresh' | 'expire' | 'endSession' | 'probe' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('signIn' as const), user: fc.constantFrom('alice', 'bob') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('mount' as const), source: fc.nat(2) }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom<'signOut' | 'unmount' | 'move' | 'refresh' | 'expire' | 'endSession' | 'probe'>(
        'signOut',
        'unmount',
        'move',
        'refresh',
        'expire',
        'endSession',
        'probe',
      ),
    }),
  },
);

interface Played {
  readonly step: Step;
  /** Whether the next step waits until the page has loaded everything. */
  readonly isAwaited: boolean;
}

const play: fc.Arbitrary<Played[]> = fc.array(fc.record({ step, isAwaited: fc.boolean() }), {
  minLength: 5,
  maxLength: 25,
});

let browser: Browser;
let upstream: FakeService;
let rights: Rights;
before(async () => {
  const executablePath = process.env[BROWSER_VARIABLE];
  browser = await chromium.launch({ args: ['--no-sandbox'], ...(executablePath !== undefined && { executablePath }) });
  upstream = await startFakeService({ sources: 3, limit: 600 });
  const [alices = '', bobs = '', shared = ''] = upstream.ids;
  rights = { alice: [alices, shared], bob: [bobs, shared] };
});
after(async () => {
  await browser?.close();
  await upstream?.close();
});

interface Setup {
  readonly sessions: SessionPortal;
  /** The URLs of the pages and the data. nginx is in front of the data. */
  readonly pageUrl: string;
  readonly bffUrl: string;
  stop(): Promise<void>;
}

const WAYS: Readonly<Record<string, () => Promise<Setup>>> = {
  'a portal that mounts the BFF': startMounted,
  'a BFF that takes tokens': startWithTokens,
};

for (const [name, start] of Object.entries(WAYS))
  describe(`T-67, T-91: nginx, set up as in deploy/, in front of ${name}`, () => {
    let setup: Setup;
    before(async () => {
      setup = await start();
    });
    after(() => setup?.stop());

    it('never shows one reader’s data to another, in any order of actions', async () => {
      const end = performance.now() + TIME_LIMIT_MS;
      let played = 0;
      const property = fc.asyncProperty(play, async (steps) => {
        // A sequence is never interrupted, so at least one is played on any machine.
        if (played > 0 && performance.now() > end) return;
        played += 1;
        const context = await browser.newContext();
        try {
          await playIn(await context.newPage(), setup, steps);
        } finally {
          await context.close();
        }
      });
      await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    });
  });

async function playIn(page: Page, { sessions, pageUrl, bffUrl }: Setup, steps: readonly Played[]): Promise<void> {
  await page.clock.install();
  await page.goto(pageUrl);
  for (const { step, isAwaited } of steps) {
    if (step.do === 'probe') await probe(bffUrl);
    else if (step.do === 'endSession') sessions.endSessions();
    else if (step.do === 'expire') await page.clock.fastForward(660_000);
    else await page.evaluate(run, { step, ids: [...upstream.ids], rights });
    if (isAwaited) await page.evaluate(() => portal.settled());
  }
  assert.deepEqual(await page.evaluate(() => portal.violations()), []);

  // Regardless of the previous steps, this user must see exactly the allowed sources.
  const signIn: Step = { do: 'signIn', user: 'alice' };
  await page.evaluate(run, { step: signIn, ids: [...upstream.ids], rights });
  await page.waitForFunction(
    (allowed) => portal.shown().every(([id, shows]) => shows === allowed.includes(id)),
    [...(rights['alice'] ?? [])],
  );
  assert.deepEqual(await page.evaluate(() => portal.violations()), []);
}

/** Runs in the page. */
async function run({ step, ids, rights }: { step: Step; ids: readonly string[]; rights: Rights }) {
  if (step.do === 'signIn') await portal.signIn(step.user, rights[step.user] ?? []);
  else if (step.do === 'mount') portal.mount(ids[step.source] ?? '');
  else if (step.do === 'signOut') await portal.signOut();
  else if (step.do === 'unmount') portal.unmount();
  else if (step.do === 'move') portal.move();
  else portal.refresh();
}

/** Checks that no one without a session or token gets anything from the shared cache. */
async function probe(bffUrl: string): Promise<void> {
  for (const id of upstream.ids)
    for (const path of [`/v1/pulses?ids=${id}`, `/v1/sources/${id}/pulse`]) {
      const answer = await fetch(bffUrl + path);
      assert.equal(answer.status, 401, path);
      await answer.arrayBuffer();
    }
}

/** nginx is in front of the portal, which mounts the BFF behind its session. */
async function startMounted(): Promise<Setup> {
  let pageUrl = '';
  const sessions = await startSessionPortal({ rights, bffUrl: () => `${pageUrl}/pulse` });
  const bff = createPulseBff(
    {
      PULSE_API_KEY: SERVICE_KEY,
      PULSE_BASE_URL: upstream.urls.A,
      PULSE_PUBLIC_URL: `${sessions.url}/pulse`,
      PULSE_CLIENT_RATE: '0',
      PULSE_RATE_WINDOW_MS: '1000',
      TRUST_PROXY: '1',
      LOG_LEVEL: 'silent',
    },
    { authorize: (request) => rights[sessions.userOf(request) ?? ''] ?? [] },
  );
  await bff.ready;
  sessions.app.use(
    '/pulse',
    (request, response, next) => {
      if (sessions.userOf(request) === undefined) response.sendStatus(401);
      else next();
    },
    bff,
  );
  const front = await startNginxFront(sessions.url);
  pageUrl = front.url;
  return {
    sessions,
    pageUrl,
    bffUrl: `${pageUrl}/pulse`,
    async stop() {
      await front.stop();
      sessions.stop();
      await bff.close();
    },
  };
}

/** nginx is in front of the BFF. The portal is a separate server. */
async function startWithTokens(): Promise<Setup> {
  const port = await freePort();
  const bffUrl = `http://127.0.0.1:${port}`;
  const sessions = await startSessionPortal({ rights, bffUrl: () => bffUrl, key: KEY });
  const folder = frontFolder('tokens');
  const bff = await BffProcess.start({
    upstream,
    env: {
      PULSE_PUBLIC_URL: bffUrl,
      PULSE_ACCESS: 'token',
      PULSE_TOKEN_KEYS_FILE: folder.write('keys.json', JSON.stringify([KEY])),
      PULSE_ALLOWED_ORIGINS: sessions.url,
      PULSE_RATE_WINDOW_MS: '1000',
      TRUST_PROXY: '1',
    },
  });
  const front: Front = await startNginxFront(bff.url, port);
  return {
    sessions,
    pageUrl: sessions.url,
    bffUrl,
    async stop() {
      await front.stop();
      sessions.stop();
      await bff.stop();
      folder.remove();
    },
  };
}
