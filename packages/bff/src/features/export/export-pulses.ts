import {
  type ErrorCode,
  isSourceId,
  type PulseAnswer,
  pulseAnswerSchema,
  type PulseOutcome,
  type PublicPulse,
  type SourcesAnswer,
} from '@pulse-card/contract';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { metaOf } from '../../http/public-fields.ts';
import { valueIn } from '../../lib/stored-text.ts';
import { headersFile, REDIRECTS_FILE } from './host-rules.ts';
import type { StaticFolder } from './static-folder.ts';

/** Files that older pages may still request: charts from earlier runs, and the card's files from earlier versions. */
const NAMED_BY_PAGES = /\.png$|^pulse-/;

/** The BFF's response to a path: a body, or the reason there is none. */
export type Ask = (
  path: string,
) => Promise<
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly error: string; readonly code: ErrorCode }
>;

/** The parts that an export needs. */
export interface ExportOptions {
  /** Sends requests to the BFF as its own pages do. */
  readonly ask: Ask;
  readonly folder: StaticFolder;
  /** Prints a line about the export's progress. */
  readonly say: (line: string) => void;
  /** `publicUrl` is the URL of the folder. Frame pages need it. Charts are written if the BFF serves them. */
  readonly config: Pick<Config, 'publicUrl' | 'hasPublicUrl' | 'allowedOrigins' | 'sources' | 'images'>;
  /** The built card; undefined if it hasn't been built. */
  readonly widget: { readonly folder: string; readonly paths: Iterable<string> } | undefined;
  /** Creates frame pages, and the headers for all pages. */
  readonly frames: {
    pageOf(sourceId: string, answer: PulseAnswer): string;
    headersFor(answers: readonly PulseAnswer[]): Readonly<Record<string, string>>;
  };
}

/** The IDs to export into `folder`: those that the operator lists and those from an earlier export. */
export function idsToKnow(rule: Config['sources'], folder: Pick<StaticFolder, 'record'>): string[] {
  const exported = folder.record.files.flatMap((path) => PULSE_PATH.exec(path)?.[1] ?? []);
  return [...new Set([...(rule.listed ? exported.filter(isSourceId) : []), ...rule.ids])];
}

/**
 * Requests every route that a page with cards uses, and writes each response to a file. If a request fails, the file
 * from the last export is retained. Resolves with the number of pulses in the folder, including earlier ones (undefined
 * if the folder is unchanged), and with a line for each item that couldn't be updated.
 */
export async function exportPulses(options: ExportOptions) {
  const { ask, folder, say, config } = options;
  const faults: string[] = [];
  const fault = (line: string): void => {
    faults.push(line);
    say(line);
  };
  const list = await ask('/v1/sources');
  if (!list.ok) fault(`The list of sources can’t be read: ${REASONS[list.code] ?? list.code}`);
  const listed = list.ok ? (JSON.parse(list.body.toString()) as SourcesAnswer) : undefined;
  const ids = [...new Set([...(listed?.sources.map(({ id }) => id) ?? []), ...idsToKnow(config.sources, folder)])];
  const outcomes: PulseOutcome[] = [];
  for (const [at, id] of ids.entries()) {
    say(`[${at + 1}/${ids.length}] ${id}`);
    outcomes.push(await outcomeOf(id, options, fault));
  }
  if (list.ok && ids.length === 0)
    fault('There is no source to export: the list is empty, and PULSE_SOURCES lists no IDs');
  if (!outcomes.some(isNew)) return { pulses: undefined, faults };
  if (options.widget === undefined) fault('The card hasn’t been built (npm run build), so its script can’t be written');
  writeFiles(options, outcomes, listed);
  folder.finish((path) => NAMED_BY_PAGES.test(path));
  return { pulses: outcomes.filter(({ ok }) => ok).length, faults };
}

/** Exports a source. A pulse's chart is written before any file that refers to it. */
async function outcomeOf(
  sourceId: string,
  options: ExportOptions,
  fault: (line: string) => void,
): Promise<PulseOutcome> {
  const { ask, folder, say } = options;
  const asked = await ask(`/v1/sources/${sourceId}/pulse`);
  const answer = asked.ok ? await withChart(JSON.parse(asked.body.toString()) as PulseAnswer, options) : asked;
  if ('pulse' in answer) return { sourceId, ok: true, ...answer };
  const { error, code } = answer;
  if (code === 'pulse_not_found') {
    say(`${sourceId} has no pulse: it hasn’t had a successful run, or its ID is wrong`);
    return { sourceId, ok: false, error, code };
  }
  const earlier = earlierAnswer(folder.read(pulsePath(sourceId)));
  const instead = earlier ? 'its last export is kept' : 'no earlier export has it';
  fault(`${sourceId} can’t be read: ${REASONS[code] ?? code}; ${instead}`);
  if (earlier === undefined) return { sourceId, ok: false, error, code };
  for (const path of chartPaths(earlier.pulse)) folder.keep(path);
  return { sourceId, ok: true, ...earlier };
}

/**
 * Writes a pulse's chart and adds the chart's file name to the response. Returns the failure if the chart can't be
 * read.
 */
async function withChart(answer: PulseAnswer, { ask, folder, config: { publicUrl, images } }: ExportOptions) {
  const { pulse } = answer;
  if (images === 'direct' || pulse.imageUrl === null) return answer;
  const chart = await ask(pulse.imageUrl.slice(publicUrl.length));
  if (!chart.ok) return chart;
  const [byRun, latest] = chartPaths(pulse);
  folder.write(byRun, chart.body);
  folder.write(latest, chart.body);
  return { ...answer, pulse: { ...pulse, imageUrl: `${publicUrl}/${byRun}` } };
}

/** The response in an earlier export's text, marked as stale. Undefined if the text doesn't contain a response. */
function earlierAnswer(text: string | undefined): PulseAnswer | undefined {
  const answer = valueIn(pulseAnswerSchema, text);
  return answer && { ...answer, meta: { ...answer.meta, stale: true } };
}

function isNew(outcome: PulseOutcome): boolean {
  return outcome.ok ? !outcome.meta.stale : outcome.code === 'pulse_not_found';
}

function writeFiles(options: ExportOptions, outcomes: readonly PulseOutcome[], list: SourcesAnswer | undefined): void {
  const { folder, widget, frames, config } = options;
  for (const path of widget?.paths ?? []) folder.write(path.slice(1), readFileSync(join(widget?.folder ?? '', path)));
  const answers = outcomes.filter((outcome) => outcome.ok);
  folder.write('_headers', headersFile(config.allowedOrigins, frames.headersFor(answers), widget?.paths ?? []));
  folder.write('_redirects', REDIRECTS_FILE);
  for (const { sourceId, ok: _, ...answer } of answers) {
    folder.write(pulsePath(sourceId), jsonText(answer));
    if (config.hasPublicUrl) folder.write(`embed/${sourceId}.html`, frames.pageOf(sourceId, answer));
  }
  const oldestMs = Math.min(...answers.map(({ meta }) => Date.parse(meta.requestedAt)), Date.now());
  const isStale = answers.some(({ meta }) => meta.stale);
  folder.write('v1/pulses', jsonText({ meta: metaOf(oldestMs, isStale), pulses: outcomes }));
  // Basic hosts serve the second file as the index of the `v1/sources` folder.
  for (const path of ['v1/sources.json', 'v1/sources/index.html'])
    if (list === undefined) folder.keep(path);
    else folder.write(path, jsonText(list));
}

const PULSE_PATH = /^v1\/sources\/([^/]+)\/pulse$/;

function pulsePath(sourceId: string): string {
  return `v1/sources/${sourceId}/pulse`;
}

/**
 * A chart's two paths: one for the chart of this run, which never changes, and one for the latest chart, which is also
 * the BFF's route.
 */
function chartPaths({ sourceId, jobRunId }: PublicPulse): [byRun: string, latest: string] {
  return [`v1/sources/${sourceId}/${jobRunId}.png`, `v1/sources/${sourceId}/image`];
}

/** Writes JSON without `<`. If a host serves the file as HTML, no script runs. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

const REASONS: Readonly<Partial<Record<ErrorCode, string>>> = {
  upstream_auth: 'the service rejects the key: "pulse-bff check" says what to do',
  upstream_rate_limited: 'the export waited too long for calls: reserve more calls for it (PULSE_RATE_RESERVE)',
  upstream_invalid: 'the service or the chart’s host sent an invalid response',
  upstream_unavailable: 'the service or the chart’s host doesn’t respond: check PULSE_BASE_URL and that host',
};
