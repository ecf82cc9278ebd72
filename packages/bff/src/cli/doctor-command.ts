import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { openTokenKeys } from '../auth/token-keys-file.ts';
import { systemClock } from '../clock.ts';
import { type Config, ConfigError } from '../config.ts';
import { diagnosisInputSchema, diagnosePage, type Diagnosis } from '../doctor/diagnose-page.ts';
import type { PageSources, SourceFacts } from '../doctor/page-context.ts';
import { readWidgetFiles, widgetScriptPath } from '../http/widget-files.ts';
import type { Upstream } from '../upstream/port.ts';
import { reachable } from './health.ts';
import type { Finding } from '../doctor/finding.ts';

/** The options of `pulse-bff doctor`. */
export interface DoctorOptions {
  /** A token to explain; `-` reads it from standard input. */
  readonly token?: string;
  readonly json?: boolean;
  readonly allowPrivate?: boolean;
}

/** Sources of one page whose charts are looked up: each costs a call of the key. */
const MAX_PULSE_CALLS = 3;

/** How long a running instance may take to tell its status. */
const STATUS_TIMEOUT_MS = 10_000;

/** Diagnoses the page at `url` for the BFF of `config`. Throws `ConfigError` where an argument is not valid. */
export async function doctorFor(
  config: Config,
  upstream: Upstream,
  url: string,
  { token, allowPrivate = false }: DoctorOptions,
): Promise<Diagnosis> {
  const input = { url, ...(token !== undefined && { token: token === '-' ? await text(process.stdin) : token }) };
  const read = diagnosisInputSchema.safeParse(input);
  if (!read.success) throw new ConfigError(read.error.issues.map(faultLine));
  const keysFile = await openTokenKeys(config, systemClock, () => {});
  keysFile?.close();
  const running = await runningInstance(config);
  return diagnosePage(read.data, {
    settings: config,
    sourceFacts: (sources) => sourceFactsFor(sources, { config, upstream, running }),
    sawUntrustedProxy: running?.warnings.some((warning) => warning.includes('TRUST_PROXY')) ?? false,
    tokenKeys: keysFile?.current(),
    widget: readWidgetFiles(widgetScriptPath()),
    // A user at this terminal can fetch the address anyway.
    guards: { allowLoopback: true, allowPrivate },
    wallNow: Date.now,
  });
}

function faultLine({ path, message }: z.core.$ZodIssue): string {
  return path[0] === 'token' ? `--token: ${message}` : `URL: ${message}`;
}

/** What the doctor reads from `/status` of a running instance. */
const statusSchema = z.object({
  sources: z.array(z.object({ sourceId: z.string() })),
  warnings: z.array(z.string()),
});

type RunningInstance = z.output<typeof statusSchema>;

/** The status of the instance that runs with this configuration; undefined where none does. */
async function runningInstance({ adminHost, adminPort }: Config): Promise<RunningInstance | undefined> {
  try {
    const signal = AbortSignal.timeout(STATUS_TIMEOUT_MS);
    const response = await fetch(`http://${reachable(adminHost)}:${adminPort}/status`, { signal, redirect: 'error' });
    return statusSchema.parse(await response.json());
  } catch {
    return undefined;
  }
}

interface SourceFactsParts {
  readonly config: Config;
  readonly upstream: Upstream;
  readonly running: RunningInstance | undefined;
}

/** The ids that the BFF knows, by its running instance or by the list, and where the charts of the first few are. */
async function sourceFactsFor(
  { ids, hasBoard }: PageSources,
  { config, upstream, running }: SourceFactsParts,
): Promise<SourceFacts> {
  const listed = running?.sources.map(({ sourceId }) => sourceId) ?? (await listedIds(upstream));
  if (listed === undefined) return { knownIds: undefined, chartUrls: [], isUnavailable: true };
  const { ids: named, listed: followsList } = config.sources;
  const knownIds = [...new Set([...named, ...(followsList ? listed : [])])];
  const onPage = [...ids.filter((id) => knownIds.includes(id)), ...(hasBoard ? listed : [])];
  const chartUrls = await chartUrlsOf([...new Set(onPage)].slice(0, MAX_PULSE_CALLS), upstream);
  return { knownIds, chartUrls };
}

async function listedIds(upstream: Upstream): Promise<string[] | undefined> {
  const { outcome } = await upstream.listSources('main');
  return outcome.ok ? outcome.value.rows.map(({ id }) => id) : undefined;
}

async function chartUrlsOf(ids: readonly string[], upstream: Upstream): Promise<string[]> {
  const urls: string[] = [];
  for (const id of ids) {
    const { outcome } = await upstream.latestPulse('main', id);
    if (outcome.ok && outcome.value.kind === 'found' && outcome.value.pulse.imageUrl !== null)
      urls.push(outcome.value.pulse.imageUrl);
  }
  return urls;
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
    summaryLine(findings, ok),
  ];
}

function findingLines({ severity, code, title, detail, fix }: Finding): string[] {
  return [`${severity} ${code}: ${title}`, `  ${detail}`, `  Change: ${fix}`];
}

function summaryLine(findings: readonly Finding[], isOk: boolean): string {
  if (findings.length === 0) return 'Nothing found that keeps cards from working.';
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors === 0 && !isOk) return 'The page could not be read.';
  const warnings = findings.length - errors;
  return `Found ${counted(errors, 'error')} and ${counted(warnings, 'warning')}.`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
