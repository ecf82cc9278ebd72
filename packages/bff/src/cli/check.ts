import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ReadSource } from '@pulse-card/contract';
import { type Config, ConfigError, readConfig, readVariables } from '../config.ts';
import { alertUrlOf, messageOf, sendMessage } from '../features/alerts/alerts.ts';
import { chartHosts } from '../features/images/chart-hosts.ts';
import { keyExpiry, KEYS_TEXT, keysSeen } from '../features/key-expiry/key-expiry.ts';
import { failureText, failureWords, HOST_VARIABLES } from '../features/status/failure-words.ts';
import { expiryWords } from '../features/status/text-format.ts';
import { readTokenKeys } from '../features/tokens/tokens.ts';
import { originAdvice, originPolicy } from '../http/origins.ts';
import type { ApiKey } from '../lib/api-key.ts';
import { systemClock } from '../lib/clock.ts';
import { originFault } from '../lib/origin-pattern.ts';
import { openOutgoing, proxyFor } from '../lib/outgoing.ts';
import { writeFault } from '../lib/replace-file.ts';
import { callService } from '../upstream/call-service.ts';
import type { Answered, CallFailure } from '../upstream/classify-response.ts';
import type { HostName } from '../upstream/failure.ts';
import { openKey } from '../upstream/key.ts';
import { isList, LIST, type SourceRows } from '../upstream/target.ts';
import { EXIT, print, type Shell } from './output.ts';

export interface CheckOptions {
  readonly origin?: string;
  readonly alert?: boolean;
}

/** Checks the key and the configuration, and prints the results. */
export async function check(shell: Shell, { origin, alert }: CheckOptions): Promise<void> {
  const config = configOf(shell);
  const origins = originLines(config, origin);
  const log = { warn: (line: string) => (print(shell.stderr, line), true) };
  const key = await openKey(config, { clock: systemClock, log });
  if (config.tokenKeysFile !== undefined) await readTokenKeys(config.tokenKeysFile);
  key.close();
  const { works, lines } = await checkKey(config, key.current());
  const expiry = await expiryLine(config, key.current());
  const sent = alert ? await sendTestAlert(config) : { works: true, lines: [] };
  print(shell.stdout, ...lines, expiry, ...stateLines(config.stateDir), ...origins, ...sent.lines);
  shell.exitCode = works && sent.works ? EXIT.done : EXIT.failed;
}

/**
 * Reads the configuration and prints its warnings. If required variables are missing here, the BFF might be running
 * elsewhere.
 */
function configOf({ env, stderr }: Shell): Config {
  try {
    const config = readConfig(env);
    print(stderr, ...config.warnings);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError) || !error.isIncomplete) throw error;
    const { PULSE_ADMIN_PORT: port } = readVariables(env, 'PULSE_ADMIN_PORT');
    const line = `To check a BFF that is already running, open its status page: http://localhost:${port}/`;
    throw new ConfigError([...error.faults, line]);
  }
}

/** The result of a check: lines for the operator, and whether everything works. */
export interface CheckReport {
  readonly works: boolean;
  readonly lines: readonly string[];
}

type Reply = { readonly host: HostName } & (Answered | CallFailure);

/**
 * Checks the key by requesting the list from each host, and a pulse if there is one, because pulses need a different
 * scope. Only this report contains the account's email address. No report contains the key.
 */
export async function checkKey(config: Config, key: ApiKey): Promise<CheckReport> {
  const outgoing = openOutgoing({ proxies: config.proxies });
  const deadlineMs = config.upstreamTimeoutMs;
  const ask = async (host: HostName, target: string) => ({
    host,
    ...(await callService({ ...config, clock: systemClock, outgoing }, { host, target, key, deadlineMs })),
  });
  try {
    const replies: Reply[] = [];
    const hosts = config.altBaseUrl === undefined ? (['main'] as const) : (['main', 'alt'] as const);
    for (const host of hosts) replies.push(await ask(host, LIST));
    const hostLines = replies.map((reply) => hostLine(reply, config));
    const good = replies.find((reply) => reply.ok);
    if (!good?.ok || good.value === null || !isList(good.value)) {
      const [, advice] = failureWords(replies.find((reply) => !reply.ok) ?? { code: 'fault' });
      return { works: false, lines: [...hostLines, advice] };
    }
    if (good.account === undefined && good.rate?.limit === undefined)
      return { works: false, lines: [...hostLines, NOT_THE_SERVICE] };
    const [source] = good.value.rows;
    const pulse = source && (await ask(good.host, source.id));
    const lines = [...answerLines(good, good.value), ...hostLines, ...chartLines(pulse, config)];
    const isRejected = pulse?.ok === false && (pulse.code === 'key_rejected' || pulse.code === 'scope_missing');
    if (isRejected) lines.push(failureText(pulse));
    return { works: !isRejected, lines: isRejected ? lines : [...lines, 'The key works.'] };
  } finally {
    outgoing.close();
  }
}

const NOT_THE_SERVICE =
  'The key wasn’t checked: the response from this URL has no account or rate window, so the URL is probably a BFF’s. Set PULSE_BASE_URL to the URL of the service.';

function answerLines({ account, rate }: Answered, { rows, unreadableRows }: SourceRows): string[] {
  const statuses = rows.map(({ status }) => status ?? 'unknown');
  const width = Math.max(0, ...statuses.map(({ length }) => length));
  const line = ({ id, provider, name }: ReadSource, at: number) =>
    `  ${statuses[at]?.padEnd(width)}  ${[id, provider, name].filter((part) => part !== null).join('  ')}`;
  const unread = unreadableRows === 0 ? '' : `, and ${unreadableRows} that can’t be read`;
  const reset = rate?.resetInMs === undefined ? '' : `, resets in ${Math.ceil(rate.resetInMs / 1_000)} s`;
  return [
    account ? `Account: ${account.email || 'no email'} (${account.id})` : 'Account: not reported by the service',
    `Sources: ${rows.length === 0 ? 'none' : rows.length}${unread}`,
    ...rows.map(line),
    rate?.limit === undefined
      ? 'Rate window: not reported by the service'
      : `Rate window: ${rate.remaining ?? '?'} of ${rate.limit} calls left${reset}`,
  ];
}

function hostLine(reply: Reply, config: Config): string {
  const url = (reply.host === 'main' ? config.baseUrl : config.altBaseUrl) ?? '';
  const proxy = proxyFor(new URL(url), config.proxies);
  const through = proxy === undefined ? '' : `, through the proxy ${proxy.host}`;
  const outcome = reply.ok ? 'answered' : failureWords(reply)[0];
  return `${HOST_VARIABLES[reply.host]} ${url}${through}: ${outcome}`;
}

function chartLines(reply: Reply | undefined, config: Config): string[] {
  if (!reply?.ok || reply.value === null || isList(reply.value)) return [];
  const refusal = chartHosts(config).whyRefused(reply.value);
  if (refusal === undefined) return [];
  return [`A chart from ${refusal.host} can’t be shown: ${failureText({ code: `chart_${refusal.reason}` })}`];
}

/** Lists the allowed origins. Reports whether `page` is allowed, and what to change if it isn't. */
export function originLines({ allowedOrigins, publicUrl }: Config, page?: string): string[] {
  const policy = originPolicy(allowedOrigins, publicUrl);
  const listed = allowedOrigins === '*' ? ['all'] : allowedOrigins;
  const line = `Allowed origins: ${[...listed, `the BFF’s own (${policy.own.join(', ')})`].join(', ')}`;
  if (page === undefined) return [line];
  const origin = /^https?:\/\//i.test(page) ? URL.parse(page)?.origin : page;
  if (origin === undefined || origin.includes('*') || originFault(origin) !== undefined)
    throw new ConfigError(['--origin: must be a URL that includes the scheme, such as https://www.example.com']);
  if (policy.allows(origin)) return [line, `${origin} is allowed`];
  return [line, originAdvice(origin), `Change: PULSE_ALLOWED_ORIGINS=${[...listed, origin].join(',')}`];
}

/** Reports when the key expires, or which variable to set if the date is unknown. Doesn't write anything. */
export async function expiryLine({ apiKeyExpires, stateDir }: Config, { name }: ApiKey): Promise<string> {
  const file = stateDir && join(stateDir, `${KEYS_TEXT}.json`);
  const seen = await keysSeen({ load: async () => file && readFile(file, 'utf8').catch(() => undefined) });
  const expiry = keyExpiry({ statedDay: apiKeyExpires, firstSeenMs: seen[name] }, Date.now());
  if (expiry !== undefined) return `The key expires ${expiryWords(expiry)}`;
  return 'The key’s expiration date is unknown: set PULSE_API_KEY_EXPIRES to the date shown in the dashboard';
}

/** Reports a state folder that can't be used. Doesn't write anything, so it doesn't notice that a disk is full. */
function stateLines(folder: string | undefined): string[] {
  const code = folder && writeFault(folder);
  // The server creates the folder.
  if (folder && code === 'ENOENT') return stateLines(dirname(folder));
  if (!code) return [];
  return [`The state folder isn’t usable (${code}): ${failureText({ code, variable: 'PULSE_STATE_DIR' })}`];
}

/** Sends a test message to the webhook. Throws `ConfigError` if none is configured. */
export async function sendTestAlert(config: Config): Promise<CheckReport> {
  const url = await alertUrlOf(config);
  if (url === undefined) throw new ConfigError(['PULSE_ALERT_URL: is required for --alert (or PULSE_ALERT_URL_FILE)']);
  const outgoing = openOutgoing({ proxies: config.proxies });
  const text = messageOf(['This is a test. Alerts from this BFF arrive here.'], config.publicUrl);
  const failure = await sendMessage(url, text, outgoing);
  outgoing.close();
  const { host } = new URL(url.reveal());
  if (failure === undefined) return { works: true, lines: [`Alert: ${host} accepted the test message`] };
  return { works: false, lines: [`Alert: ${host} (PULSE_ALERT_URL) didn’t receive the test message: ${failure}`] };
}
