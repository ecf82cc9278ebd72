import { createPulseBff, type PulseBffOptions } from '@pulse-card/bff';
import { mintToken } from '@pulse-card/token';
import express from 'express';
import { serve } from '../src/testing/serve.ts';
import { type TemporaryFolder, temporaryFolder } from '../src/testing/temporary-folder.ts';
import { BffProcess } from '../../testkit/src/bff-process.ts';
import { clockControl } from '../../testkit/src/clock-control.ts';
import {
  type FakeService,
  type FakeServiceOptions,
  SERVICE_KEY,
  startFakeService,
} from '../../testkit/src/service/fake-service.ts';
import { until } from '../../testkit/src/until.ts';

/** The public URL of every BFF here. It is also the tokens' audience. */
export const PUBLIC_URL = 'https://pulse.test';

/** The secret for signing tokens. */
const TOKEN_KEY = { kid: 'net', secret: 'a-secret-of-the-net-with-32-bytes-or-more' };

/** A huge limit per second, so that tests don't wait for the budget. */
const QUICK = { PULSE_RATE_LIMIT: '100000', PULSE_RATE_WINDOW_MS: '1000', PULSE_FRESH_MS: '200' };

/** A response whose body has been read. */
export type Answer = Awaited<ReturnType<typeof ask>>;

export async function ask(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(60_000), ...init });
  const text = await answer.text();
  // oxlint-disable-next-line typescript/no-explicit-any
  let json: any;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: answer.status, headers: answer.headers, text, json };
}

/** A folder for a test. It is removed when the process ends. */
export function folder(): TemporaryFolder {
  const made = temporaryFolder();
  process.once('exit', () => made.remove());
  return made;
}

export interface NetOptions {
  readonly service?: FakeServiceOptions;
  readonly env?: Readonly<Record<string, string>>;
  /** Called before the process starts, because it calls the service immediately. */
  readonly prepare?: (service: FakeService) => unknown;
  /** How fast the process's clock runs. 0 uses the machine's clock. @default 0 */
  readonly speed?: number;
}

/** A BFF in its own process, with a fake service behind it. */
export type Net = Awaited<ReturnType<typeof startNet>>;

export async function startNet({ service: options, env, prepare, speed = 0 }: NetOptions = {}) {
  const clock = speed === 0 ? undefined : clockControl(folder().path, speed);
  const now = clock === undefined ? {} : { now: clock.now };
  const service = await startFakeService({ sources: 3, limit: 1_000_000, ...now, ...options });
  await prepare?.(service);
  const common = { PULSE_PUBLIC_URL: PUBLIC_URL, ...QUICK, ...clock?.env, ...env };
  const bff = await BffProcess.start({ upstream: service, from: 'source', env: common, maxLines: 100_000 });
  const get = (path: string, headers: Record<string, string> = {}) => ask(bff.url + path, { headers });
  return {
    service,
    bff,
    get,
    admin: (path: string) => ask(bff.adminUrl + path),
    /** Makes this much time pass, if `speed` is set. */
    push: clock?.push ?? (() => Promise.reject(new Error('Set speed to push the clock'))),
    /** Resolves to the first response with this status. */
    eventually: (path: string, status = 200): Promise<Answer> =>
      until(
        `${path} is ${status}`,
        async () => {
          const answer = await get(path);
          return answer.status === status && answer;
        },
        { lines: () => bff.lastLines.slice(-5) },
      ),
    async [Symbol.asyncDispose](): Promise<void> {
      await bff.kill();
      await service.close();
    },
  };
}

export const pulsePath = (id: string): string => `/v1/sources/${id}/pulse`;

/** The token variables, with the keys in a new file. */
export function tokenVariables(): Record<string, string> {
  const path = folder().file('keys.json', JSON.stringify([TOKEN_KEY]));
  return { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: path };
}

/** The header that a reader with a token sends. */
export async function withToken(sources: readonly string[] | '*', subject?: string): Promise<Record<string, string>> {
  const use = { audience: PUBLIC_URL, sources, ...(subject !== undefined && { subject }) };
  return { Authorization: `Bearer ${await mintToken(TOKEN_KEY, use)}` };
}

/** The library, mounted in an application in this process. `X-User` replaces the application's login. */
export async function mount(
  service: FakeService,
  options: PulseBffOptions = { authorize: '*' },
  env: Record<string, string> = {},
) {
  const router = createPulseBff(
    {
      PULSE_API_KEY: SERVICE_KEY,
      PULSE_BASE_URL: service.url,
      PULSE_PUBLIC_URL: PUBLIC_URL,
      LOG_LEVEL: 'silent',
      ...QUICK,
      ...env,
    },
    options,
  );
  const server = await serve(express().use(router));
  await router.ready;
  return {
    router,
    url: server.url,
    async [Symbol.asyncDispose]() {
      await router.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A webhook that records the text of each message. */
export async function webhook() {
  const texts: string[] = [];
  const server = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      texts.push((JSON.parse(body) as { text: string }).text);
      response.end('ok');
    });
  });
  return { url: `${server.url}/hook/secret-part`, texts, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
