import { text } from 'node:stream/consumers';
import {
  diagnose,
  type Diagnosis,
  type DoctorSettings,
  type Finding,
  type PageSources,
  sourcesOn,
} from '@pulse-card/doctor';
import { z } from 'zod';
import type { SettingsOf } from '../config/variables.ts';
import type { PrivatePortSettings } from '../features/private-port/private-port.ts';
import type { imageVariables } from '../features/images/variables.ts';
import { readTokenKeys, type tokenVariables } from '../features/tokens/token-keys-file.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { checkInputSchema, doctorSettings, trustedOrigins } from '../features/studio/check-page.ts';
import { fetchPage } from '../features/studio/fetch-page.ts';
import { readWidgetFiles, widgetScriptPath } from '../features/files/read-widget-files.ts';
import type { HostClient } from '../upstream/host-client.ts';
import { listOperation, pulseOperation } from '../upstream/subject.ts';
import { privatePortUrl, type RunningBff } from './running-bff.ts';

/** The options of `pulse-bff doctor`. */
export interface DoctorOptions {
  /** A token to explain. If this is `-`, the token is read from standard input. */
  readonly token?: string;
  readonly json?: boolean;
  readonly allowPrivate?: boolean;
}

/** How many charts on a page are looked up. Each lookup costs a call. */
const MAX_PULSE_CALLS = 3;

/** How long a running instance may take to return its status. */
const STATUS_TIMEOUT_MS = 10_000;

/**
 * Diagnoses the page at `url` for the BFF that `config` describes. Throws `ConfigError` if an argument is not valid.
 */
export async function doctorFor(
  config: Config,
  hostClient: HostClient,
  url: string,
  { token: given, allowPrivate = false }: DoctorOptions,
): Promise<Diagnosis> {
  const { url: address, token } = await readInput(url, given);
  const variables = config.featureSettings as SettingsOf<typeof imageVariables & typeof tokenVariables>;
  const { PULSE_TOKEN_KEYS_FILE: tokenKeysFile, PULSE_IMAGES: mode, PULSE_IMAGE_HOSTS: hosts } = variables;
  const settings: DoctorSettings = {
    ...doctorSettings(config, { mode, hosts }, readWidgetFiles(widgetScriptPath())),
    knownIds: undefined,
    chartUrls: {},
    tokenKeys: tokenKeysFile === undefined ? undefined : (await readTokenKeys(tokenKeysFile)).keySet,
    now: Date.now(),
  };
  // Private addresses are allowed, because the user at this terminal could fetch them anyway.
  const guards = { trustedOrigins: trustedOrigins(settings), allowLoopback: true, allowPrivate };
  const page = await fetchPage(address, guards);
  const known = page.ok ? await knownSources(sourcesOn(page, settings), config, hostClient) : {};
  return diagnose(page, { ...settings, ...known }, token);
}

/** The maximum number of a page's charts that are requested from a running BFF. */
const MAX_CHARTS = 50;

/**
 * Diagnoses the page at `url` for a running BFF, based on that BFF's settings. This process fetches the page, and the
 * running BFF checks the token.
 */
export async function doctorForRunning(
  running: RunningBff,
  url: string,
  { token: given, allowPrivate = false }: DoctorOptions,
): Promise<Diagnosis> {
  const { url: address, token } = await readInput(url, given);
  const settings = settingsOf(running);
  const guards = { trustedOrigins: trustedOrigins(settings), allowLoopback: true, allowPrivate };
  const page = await fetchPage(address, guards);
  const { ids, hasBoard } = page.ok ? sourcesOn(page, settings) : { ids: [], hasBoard: false };
  const { knownIds = [] } = settings;
  const onPage = hasBoard ? knownIds : ids.filter((id) => knownIds.includes(id));
  const diagnosis = await diagnose(page, { ...settings, chartUrls: await runningCharts(running, onPage) });
  return token === undefined ? diagnosis : withToken(diagnosis, await running.ask('/studio/api/check', { url, token }));
}

function settingsOf({ settings, status }: RunningBff): DoctorSettings {
  const { publicUrl, allowedOrigins, ownOrigins, access, images, script } = settings;
  const ids = status.sources.map(({ sourceId }) => sourceId);
  return {
    publicUrl,
    allowedOrigins,
    ownOrigins,
    access,
    images: images.mode,
    imageHosts: images.hosts,
    knownIds: status.list.freshness === 'never-answered' ? undefined : ids,
    chartUrls: {},
    integrity: script?.integrity,
    tokenKeys: undefined,
    now: Date.now(),
  };
}

const batchSchema = z.object({
  pulses: z.array(z.object({ sourceId: z.string(), pulse: z.object({ imageUrl: z.string().nullable() }).nullish() })),
});

/** The addresses of the charts that a running BFF returns; empty if it returns none. */
async function runningCharts({ ask }: RunningBff, ids: readonly string[]): Promise<Record<string, string>> {
  if (ids.length === 0) return {};
  const query = ids.slice(0, MAX_CHARTS).map(encodeURIComponent).join(',');
  const answer = await ask(`/studio/api/bff/v1/pulses?ids=${query}`).catch(() => undefined);
  const { data } = batchSchema.safeParse(answer);
  const urls = data?.pulses.flatMap(({ sourceId, pulse }) => (pulse?.imageUrl ? [[sourceId, pulse.imageUrl]] : []));
  return Object.fromEntries(urls ?? []) as Record<string, string>;
}

/** A diagnosis that includes the result of a running BFF's token check. */
function withToken(diagnosis: Diagnosis, answer: unknown): Diagnosis {
  const { token, findings } = answer as Diagnosis;
  const isOfToken = ({ code }: Finding): boolean => code.startsWith('token_');
  const ofToken = findings.filter(isOfToken);
  return {
    ...diagnosis,
    ok: diagnosis.ok && ofToken.every(({ severity }) => severity !== 'error'),
    token,
    findings: [...diagnosis.findings.filter((finding) => !isOfToken(finding)), ...ofToken],
  };
}

/** The address and the token from the command line. `-` reads the token from standard input. */
async function readInput(url: string, given: string | undefined): Promise<{ url: URL; token: string | undefined }> {
  const token = given === '-' ? await text(process.stdin) : given;
  const read = checkInputSchema.safeParse({ url, ...(token !== undefined && { token }) });
  if (!read.success) throw new ConfigError(read.error.issues.map(faultLine));
  return { url: new URL(read.data.url), token };
}

function faultLine({ path, message }: z.core.$ZodIssue): string {
  return path[0] === 'token' ? `--token: ${message}` : `URL: ${message}`;
}

/** The part of `/status` that the doctor reads. The schema rejects a status without a list of sources. */
const statusSchema = z.object({
  list: z.object({ freshness: z.string().refine((freshness) => freshness !== 'never-answered') }),
  sources: z.array(z.object({ sourceId: z.string() })),
});

/**
 * The ids that the instance with this configuration knows; undefined if no instance is running or it has no list yet.
 */
async function runningIds({ featureSettings }: Config): Promise<string[] | undefined> {
  try {
    const address = `${privatePortUrl(featureSettings as PrivatePortSettings)}/status`;
    const response = await fetch(address, { signal: AbortSignal.timeout(STATUS_TIMEOUT_MS), redirect: 'error' });
    return statusSchema.parse(await response.json()).sources.map(({ sourceId }) => sourceId);
  } catch {
    return undefined;
  }
}

/**
 * The ids that the BFF knows, and the addresses of the first charts. The ids come from a running instance of the BFF,
 * or else from the list.
 */
async function knownSources(
  { ids, hasBoard }: PageSources,
  config: Config,
  hostClient: HostClient,
): Promise<Partial<Pick<DoctorSettings, 'knownIds' | 'chartUrls'>>> {
  const listed = (await runningIds(config)) ?? (await listedIds(hostClient));
  if (listed === undefined) return {};
  const { ids: named, listed: followsList } = config.sources;
  const knownIds = [...new Set([...named, ...(followsList ? listed : [])])];
  const onPage = new Set([...ids.filter((id) => knownIds.includes(id)), ...(hasBoard ? listed : [])]);
  return { knownIds, chartUrls: await chartUrlsOf([...onPage].slice(0, MAX_PULSE_CALLS), hostClient) };
}

async function listedIds(hostClient: HostClient): Promise<string[] | undefined> {
  const { outcome } = await hostClient.call('main', listOperation);
  return outcome.ok ? outcome.value.rows.map(({ id }) => id) : undefined;
}

async function chartUrlsOf(ids: readonly string[], hostClient: HostClient): Promise<Record<string, string>> {
  const urls: [id: string, url: string][] = [];
  for (const id of ids) {
    const { outcome } = await hostClient.call('main', pulseOperation(id));
    if (outcome.ok && outcome.value?.imageUrl) urls.push([id, outcome.value.imageUrl]);
  }
  return Object.fromEntries(urls);
}

/** A diagnosis as lines for a terminal. */
export function diagnosisLines({ ok, page, originAllowed, findings, token }: Diagnosis): string[] {
  const cards = `${page.cards} ${page.cards === 1 ? 'card' : 'cards'}`;
  return [
    page.wasRead ? `Page: ${page.url} (${cards})` : `Page: ${page.url} (not read)`,
    `Origin: ${page.origin} ${originAllowed ? 'is allowed' : 'is not allowed'}`,
    ...(token === null ? [] : ['', ...token.lines]),
    ...findings.flatMap((finding) => ['', ...findingLines(finding)]),
    '',
    summaryLine(findings, page, ok),
  ];
}

function findingLines({ severity, code, title, detail, fix }: Finding): string[] {
  return [`${severity} ${code}: ${title}`, `  ${detail}`, `  Change: ${fix}`];
}

function summaryLine(findings: readonly Finding[], page: Diagnosis['page'], isOk: boolean): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors === 0 && !isOk) return page.wasRead ? NO_CARD : 'The page could not be read.';
  if (findings.length === 0) return 'Found nothing that keeps cards from working.';
  return `Found ${counted(errors, 'error')} and ${counted(findings.length - errors, 'warning')}.`;
}

const NO_CARD = 'The page’s HTML has no card. This check can’t see cards that a script adds.';

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
