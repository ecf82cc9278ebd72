import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryAlertStore } from '../alerts/alert-store.ts';
import { Alerts } from '../alerts/alerts.ts';
import { type BffProcess, startBffProcess } from '../testing/bff-process.ts';
import { answerWell, type FakeService, sendJson, startFakeService } from '../testing/fake-service.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import type { StatusDocument } from './status.ts';

/** How long an incident may last until it is logged, in ms: calls fail three times, and problems are looked for every 5 s. */
const LOGGED_WITHIN_MS = 60_000;

interface Running {
  readonly bff: BffProcess;
  readonly service: FakeService;
  readonly folder: string;
}

interface Incident {
  readonly name: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Called once the first chart was served. */
  readonly begin?: (running: Running) => void | Promise<void>;
  readonly headline: RegExp;
  readonly advice: RegExp;
  /** A chat gets a message. */
  readonly isAlert: boolean;
  readonly metric: string;
  readonly ready: number;
}

const answers = (status: number) => (_request: IncomingMessage, response: ServerResponse) =>
  sendJson(response, status, { success: false, error: 'x' });

const INCIDENTS: readonly Incident[] = [
  {
    name: 'the key is refused',
    begin: ({ service }) => void (service.answer = answers(401)),
    headline: /^The service refuses the API key\.$/,
    advice: /^Make a new key and set PULSE_API_KEY.* The last charts can be shown for another 10 minutes\.$/,
    isAlert: true,
    metric: 'pulse_bff_key_refused 1',
    ready: 200,
  },
  {
    name: 'the service is down',
    begin: ({ service }) => void (service.answer = ({ socket }) => void socket.destroy()),
    headline: /^The service has not answered for .*\. Readers keep the last charts\.$/,
    advice: /^The last charts can be shown for another 24 hours\. Look at/,
    isAlert: true,
    metric: 'pulse_bff_hosts_well 0',
    ready: 200,
  },
  {
    name: 'Redis is gone',
    // Without Redis, the first call leaves half a window after the start.
    variables: { REDIS_URL: 'redis://127.0.0.1:9', PULSE_RATE_WINDOW_MS: '2000' },
    headline: /^Redis has been lost for .* \(REDIS_URL: disconnected\)\./,
    advice: /makes at most 2 calls a window.* To get Redis back, check that it runs/,
    isAlert: false,
    metric: 'pulse_bff_redis_joined 0',
    ready: 200,
  },
  {
    name: 'the state folder takes no files',
    begin: ({ folder }) => {
      rmSync(join(folder, 'answers'), { recursive: true });
      writeFileSync(join(folder, 'answers'), '');
    },
    headline: /^The state folder takes no files \(ENOTDIR\)\./,
    advice: /^Free disk space, or make PULSE_STATE_DIR writable\.$/,
    isAlert: false,
    metric: 'pulse_bff_state_dir_failing 1',
    ready: 200,
  },
];

const readChart = (url: string): Promise<unknown> => fetch(`${url}/v1/sources/src_1/pulse`);

async function statusOf({ adminUrl }: BffProcess): Promise<StatusDocument> {
  return (await (await fetch(`${adminUrl}/status`)).json()) as StatusDocument;
}

/** The message to a chat about these problems, once they have lasted for 12 minutes; undefined where it gets none. */
async function messageAbout({ problems }: StatusDocument): Promise<string | undefined> {
  const clock = createVirtualClock();
  const messages: string[] = [];
  const alerts = new Alerts({
    clock,
    store: memoryAlertStore(),
    keyName: () => 'key',
    problems: () => problems,
    webhook: { host: 'hooks.test', send: async (text) => (messages.push(text), { ok: true }) },
    origin: 'https://pulse.test',
    statedDay: undefined,
    warn: assert.fail,
    onFault: (fault) => assert.fail(String(fault)),
  });
  await alerts.start();
  await clock.advance(12 * 60_000);
  alerts.close();
  assert.ok(messages.length <= 1);
  return messages[0];
}

describe('A night of incidents', { concurrency: 2 }, () => {
  for (const { name, variables, begin, headline, advice, isAlert, metric, ready } of INCIDENTS) {
    it(`is in the headline, the log, a metric and, if it is an alert, in a chat: ${name}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'incident-'));
      await using service = await startFakeService(answerWell);
      await using bff = await startBffProcess({
        PULSE_API_KEY: 'canary-key-0123456789',
        PULSE_BASE_URL: service.url,
        PULSE_STATE_DIR: folder,
        PULSE_FRESH_MS: '1000',
        ...variables,
      });
      const until = performance.now() + LOGGED_WITHIN_MS;
      while (!(await statusOf(bff)).ready && performance.now() < until) await pause(100);
      await readChart(bff.url);
      await begin?.({ bff, service, folder });
      let status = await statusOf(bff);
      while (!headline.test(status.summary.headline) || !isLogged(bff, headline)) {
        assert.ok(performance.now() < until, `${JSON.stringify(status.summary)}\n${bff.output()}`);
        await readChart(bff.url);
        await pause(250);
        status = await statusOf(bff);
      }
      assert.match(status.summary.advice, advice);
      const metrics = await (await fetch(`${bff.adminUrl}/metrics`)).text();
      assert.ok(metrics.split('\n').includes(metric), metric);
      assert.equal((await fetch(`${bff.url}/readyz`)).status, ready);
      const message = await messageAbout(status);
      assert.equal(message?.includes(status.summary.headline) ?? false, isAlert);
      rmSync(folder, { recursive: true });
    });
  }
});

/** The log has a line that begins with such a headline. */
function isLogged(bff: BffProcess, headline: RegExp): boolean {
  const lines = bff.output().matchAll(/"msg":"([^"]*)"/g);
  const start = new RegExp(headline.source.replace(/\$$/, ''));
  return Array.from(lines).some(([, message = '']) => start.test(message));
}
