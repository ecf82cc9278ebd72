import { type ErrorCode, isSourceId, type PulseAnswer, type SourcesAnswer } from '@pulse-card/contract';
import type { SourceRule } from '../cache/source-allowlist.ts';
import type { FrameServer } from '../embed/frame-page.ts';
import type { WidgetFiles } from '../http/widget-files.ts';
import type { Ask } from './handler-client.ts';
import {
  chartPath,
  earlierAnswer,
  framePath,
  frameText,
  headersFile,
  type HostFacts,
  imageOriginsIn,
  imagePath,
  jsonText,
  pulsesAnswer,
  REDIRECTS_FILE,
  type SourceOutcome,
} from './static-files.ts';
import type { StaticFolder } from './static-folder.ts';

/** Files that pages loaded before this export may still request: charts of earlier runs, scripts and style sheets of earlier versions. */
const NAMED_BY_PAGES = /\.png$|^pulse-card-[^/]*\.(js|css)$/;

/** What an export needs. */
export interface ExportOptions {
  /** Asks the BFF as its own pages do. */
  readonly ask: Ask;
  readonly folder: StaticFolder;
  readonly progress: Progress;
  readonly rule: SourceRule;
  /** Where the folder will be served. */
  readonly publicUrl: string;
  readonly allowedOrigins: HostFacts['allowedOrigins'];
  readonly widget: WidgetFiles | undefined;
  /** What pages for frames have in common; undefined where none are written. */
  readonly frames: FrameServer | undefined;
  /** Charts are written, too. */
  readonly withImages: boolean;
  readonly wallNow: () => number;
}

/** Shows how far an export is. */
export interface Progress {
  /** Shows that `done` of `all` are done. */
  at(done: number, all: number, what: string): void;
  /** A line that stays. */
  print(line: string): void;
}

/** The result of an export, with a line for each item that could not be renewed. */
export interface ExportResult {
  /** The pulses in the folder, new and earlier ones; undefined where the folder is as it was. */
  readonly pulses: number | undefined;
  readonly faults: readonly string[];
}

/** The ids that a BFF must know to export into `folder`: named ones, and those that an earlier export knew. */
export function idsToKnow(rule: SourceRule, folder: Pick<StaticFolder, 'record'>): string[] {
  return [...new Set([...(rule.listed ? folder.record.sources.filter(isSourceId) : []), ...rule.ids])];
}

/** Asks for every route that a page of cards requests, and writes what is answered as files. What fails stays as the last export wrote it. */
export async function exportPulses(options: ExportOptions): Promise<ExportResult> {
  const { ask, folder, progress, rule, wallNow } = options;
  const faults: string[] = [];
  const fault = (line: string): void => {
    faults.push(line);
    progress.print(line);
  };
  const list = await ask('/v1/sources');
  if (!list.ok) fault(`The list of sources could not be read: ${reasonOf(list.code)}`);
  const listed = list.ok ? (JSON.parse(list.body.toString()) as SourcesAnswer) : undefined;
  const ids = [...new Set([...(listed?.sources.map(({ id }) => id) ?? []), ...idsToKnow(rule, folder)])];
  const outcomes: SourceOutcome[] = [];
  for (const [at, id] of ids.entries()) {
    progress.at(at + 1, ids.length, id);
    outcomes.push(await outcomeOf(id, options, fault));
  }
  if (ids.length === 0 || outcomes.every(isOld)) {
    if (faults.length === 0) fault('There is no source to export: none is listed, and PULSE_SOURCES names none');
    return { pulses: undefined, faults };
  }
  const answers = outcomes.flatMap((outcome) => ('answer' in outcome ? [outcome.answer] : []));
  await writeWidget(options, answers, fault);
  await writeAnswers(options, outcomes);
  await folder.write('v1/pulses', jsonText(pulsesAnswer(outcomes, wallNow())));
  await writeList(folder, ids, listed);
  await folder.finish(ids, (path) => NAMED_BY_PAGES.test(path));
  return { pulses: answers.length, faults };
}

/** Asks for a source; its chart is written before anything names it. */
async function outcomeOf(
  sourceId: string,
  options: ExportOptions,
  fault: (line: string) => void,
): Promise<SourceOutcome> {
  const asked = await options.ask(pulseRoute(sourceId));
  if (!asked.ok && asked.code === 'pulse_not_found') return { sourceId, code: asked.code };
  const answer = asked.ok ? await withChart(JSON.parse(asked.body.toString()) as PulseAnswer, options) : asked.code;
  if (typeof answer === 'object') return { sourceId, answer };
  const earlier = earlierAnswer(await options.folder.read(pulsePath(sourceId)));
  const outcome = earlier ? 'the last one stays' : 'an earlier export has none';
  fault(`${sourceId} could not be read: ${reasonOf(answer)}; ${outcome}`);
  if (earlier === undefined) return { sourceId, code: answer };
  await options.folder.keep(chartPath(earlier.pulse));
  await options.folder.keep(imagePath(earlier.pulse));
  return { sourceId, answer: earlier };
}

/** Writes the chart of a pulse, and names it by its file; the code of the error where there is none. */
async function withChart(
  answer: PulseAnswer,
  { ask, folder, withImages, publicUrl }: ExportOptions,
): Promise<PulseAnswer | ErrorCode> {
  const { pulse } = answer;
  if (!withImages || pulse.imageUrl === null) return answer;
  const chart = await ask(pulse.imageUrl.slice(publicUrl.length));
  if (!chart.ok) return chart.code;
  for (const path of [chartPath(pulse), imagePath(pulse)]) await folder.write(path, chart.body);
  return { ...answer, pulse: { ...pulse, imageUrl: `${publicUrl}/${chartPath(pulse)}` } };
}

async function writeAnswers({ folder, frames }: ExportOptions, outcomes: readonly SourceOutcome[]): Promise<void> {
  for (const outcome of outcomes) {
    if (!('answer' in outcome)) continue;
    const { sourceId, answer } = outcome;
    await folder.write(pulsePath(sourceId), jsonText(answer));
    if (frames) await folder.write(framePath(sourceId), frameText(sourceId, answer, frames));
  }
}

/** A folder of the list's name holds the pulses: hosts find the list as its index, or by the rules beside it. */
async function writeList(folder: StaticFolder, ids: readonly string[], list: SourcesAnswer | undefined): Promise<void> {
  const { files, leaving } = folder.record;
  // A source may have that name, or had it until now.
  const hasIndexSource =
    ids.includes('index.html') || [...files, ...leaving].some((path) => path.startsWith(`${LIST_INDEX}/`));
  for (const path of ['v1/sources.json', ...(hasIndexSource ? [] : [LIST_INDEX])]) {
    if (list === undefined) await folder.keep(path);
    else await folder.write(path, jsonText(list));
  }
}

async function writeWidget(
  { folder, widget, allowedOrigins }: ExportOptions,
  answers: readonly PulseAnswer[],
  fault: (line: string) => void,
): Promise<void> {
  if (widget === undefined) fault('The card is not built (npm run build): its script could not be written');
  else for (const [path, file] of widget.byPath) await folder.write(path.slice(1), file.in('identity').bytes);
  const facts = { allowedOrigins, imageOrigins: imageOriginsIn(answers), scriptHash: widget?.hash };
  await folder.write('_headers', headersFile(facts));
  await folder.write('_redirects', REDIRECTS_FILE);
}

/** The list as the index of its folder. */
const LIST_INDEX = 'v1/sources/index.html';

function pulseRoute(sourceId: string): string {
  return `/v1/sources/${encodeURIComponent(sourceId)}/pulse`;
}

function pulsePath(sourceId: string): string {
  return `v1/sources/${sourceId}/pulse`;
}

function isOld(outcome: SourceOutcome): boolean {
  return 'answer' in outcome ? outcome.answer.meta.stale : outcome.code !== 'pulse_not_found';
}

const REASONS: Readonly<Partial<Record<ErrorCode, string>>> = {
  upstream_auth: 'the service refuses the key: "pulse-bff check" says what to do',
  upstream_rate_limited: "the key's window stays used up: leave more calls to the export (PULSE_RATE_RESERVE)",
  upstream_invalid: 'the service or the host of its chart answered with something that is no such answer',
  upstream_unavailable: 'the service or the host of its chart does not answer: is PULSE_BASE_URL right, and is it up?',
};

function reasonOf(code: ErrorCode): string {
  return REASONS[code] ?? code;
}
