import { isSourceId, type ReadPulse, type ReadSource } from '@pulse-card/contract';
import type { SourceRule } from '../cache/source-allowlist.ts';
import type { FetchFailure } from '../upstream/fetch-result.ts';
import type { SourceSnapshot } from '../cache/port.ts';
import type { FrameServer } from '../embed/frame-page.ts';
import { answerMeta } from '../http/representation.ts';
import { type FieldPolicy, publicPulse, publicSource, publicSourceFacts } from '../http/public-pulse.ts';
import type { WidgetFiles } from '../http/widget-files.ts';
import type { ExportFetcher } from './export-fetcher.ts';
import {
  type Chart,
  chartPath,
  imagePath,
  framePath,
  frameText,
  imageOriginsIn,
  earlierAnswer,
  jsonText,
  pulsesAnswer,
  type SourceOutcome,
  headersFile,
  type HostFacts,
  REDIRECTS_FILE,
} from './static-files.ts';
import type { Progress } from './run-export.ts';
import type { StaticFolder } from './static-folder.ts';

/** Files that pages loaded before this export may still request: charts of earlier runs, scripts and style sheets of earlier versions. */
const NAMED_BY_PAGES = /\.png$|^pulse-card-[^/]*\.(js|css)$/;

/** What an export needs. */
export interface ExportOptions {
  readonly exportFetcher: ExportFetcher;
  readonly folder: StaticFolder;
  readonly progress: Progress;
  readonly rule: SourceRule;
  readonly expose: FieldPolicy['expose'];
  readonly allowedOrigins: HostFacts['allowedOrigins'];
  readonly widget: WidgetFiles | undefined;
  /** What pages for frames have in common; undefined where none are written. */
  readonly frames: FrameServer | undefined;
  /** Fetches the chart of a pulse; undefined where charts stay where they are. */
  readonly chartOf: ((pulse: ReadPulse) => Promise<Chart>) | undefined;
  readonly wallNow: () => number;
}

/** The result of an export, with a line for each item that could not be renewed. */
export interface ExportResult {
  /** The pulses in the folder, new and earlier ones; undefined where the folder is as it was. */
  readonly pulses: number | undefined;
  readonly faults: readonly string[];
}

/** Writes everything that a page of cards requests as files. What cannot be fetched stays as the last export wrote it. */
export async function exportPulses(parts: ExportOptions): Promise<ExportResult> {
  return new Export(parts).run();
}

class Export {
  readonly #parts: ExportOptions;
  readonly #faults: string[] = [];

  constructor(parts: ExportOptions) {
    this.#parts = parts;
  }

  async run(): Promise<ExportResult> {
    const { exportFetcher, folder, progress } = this.#parts;
    const list = await exportFetcher.sources();
    if (!list.ok) this.#fault(`The list of sources could not be read: ${reasonOf(list)}`);
    else if (list.value.unreadableRows > 0)
      this.#fault(`Rows of the list of sources that could not be read, and are left out: ${list.value.unreadableRows}`);
    const rows = list.ok ? list.value.rows.filter(({ id }) => this.#mayShow(id)) : undefined;
    const ids = this.#idsWith(rows ?? []);
    const outcomes: SourceOutcome[] = [];
    for (const [at, id] of ids.entries()) {
      progress.at(at + 1, ids.length, id);
      outcomes.push(await this.#outcomeOf(id, rows?.find((row) => row.id === id) ?? null));
    }
    if (ids.length === 0 || outcomes.every((outcome) => isOld(outcome))) {
      if (this.#faults.length === 0)
        this.#fault('There is no source to export: none is listed, and PULSE_SOURCES names none');
      return { pulses: undefined, faults: this.#faults };
    }
    await this.#writeAll(outcomes, list.ok && rows ? { rows, requestedAtMs: list.requestedAtMs } : undefined);
    await folder.finish(ids, (path) => NAMED_BY_PAGES.test(path));
    return { pulses: outcomes.filter((outcome) => 'answer' in outcome).length, faults: this.#faults };
  }

  /** Named ones, listed ones, and those that an earlier export knew: the list shows ten at most. */
  #idsWith(rows: readonly ReadSource[]): string[] {
    const { rule, folder } = this.#parts;
    const exportedIds = rule.listed ? [...rows.map(({ id }) => id), ...folder.record.sources.filter(isSourceId)] : [];
    return [...new Set([...exportedIds, ...rule.ids])];
  }

  #mayShow(id: string): boolean {
    const { rule } = this.#parts;
    return rule.listed || rule.ids.includes(id);
  }

  async #outcomeOf(sourceId: string, source: ReadSource | null): Promise<SourceOutcome> {
    const result = await this.#parts.exportFetcher.pulse(sourceId);
    if (!result.ok) return this.#earlier(sourceId, result.code, reasonOf(result));
    const pulse = result.value.kind === 'found' ? result.value.pulse : null;
    const snapshot: SourceSnapshot = { sourceId, pulse, source, requestedAtMs: result.requestedAtMs };
    const facts = publicSourceFacts(
      snapshot,
      this.#fieldPolicy(() => null),
    );
    if (pulse === null) return { sourceId, code: 'pulse_not_found', source: facts };
    const chart = await this.#chart(pulse);
    if (typeof chart !== 'object') return this.#earlier(sourceId, 'upstream_unavailable', chart);
    const fieldPolicy = this.#fieldPolicy(() => chart.address);
    const meta = answerMeta(snapshot.requestedAtMs, false);
    return { sourceId, answer: { meta, pulse: publicPulse(pulse, fieldPolicy), source: facts } };
  }

  /** Writes the chart and returns its public URL, or why it could not be fetched. */
  async #chart(pulse: ReadPulse): Promise<{ address: string | null } | string> {
    const { chartOf, folder } = this.#parts;
    if (chartOf === undefined || pulse.imageUrl === null) return { address: pulse.imageUrl };
    const chart = await chartOf(pulse);
    if (!chart.ok) return chart.reason;
    await folder.write(chartPath(pulse), chart.bytes);
    await folder.write(imagePath(pulse), chart.bytes);
    return { address: chart.address };
  }

  #fieldPolicy(imageUrlOf: FieldPolicy['imageUrlOf']): FieldPolicy {
    return { expose: this.#parts.expose, imageUrlOf };
  }

  /** The answer of the last export for a source that cannot be read now. */
  async #earlier(sourceId: string, code: FetchFailure['code'], reason: string): Promise<SourceOutcome> {
    const { folder } = this.#parts;
    const answer = earlierAnswer(await folder.read(pulsePathOf(sourceId)));
    const outcome = answer ? 'the last one stays' : 'an earlier export has none';
    this.#fault(`${sourceId} could not be read: ${reason}; ${outcome}`);
    if (!answer) return { sourceId, code };
    await folder.keep(chartPath(answer.pulse));
    await folder.keep(imagePath(answer.pulse));
    return { sourceId, answer };
  }

  async #writeAll(
    outcomes: readonly SourceOutcome[],
    list: { rows: readonly ReadSource[]; requestedAtMs: number } | undefined,
  ): Promise<void> {
    const { folder, wallNow } = this.#parts;
    const ids = outcomes.map(({ sourceId }) => sourceId);
    const answered = outcomes.filter((outcome) => 'answer' in outcome);
    await this.#writeWidget(imageOriginsIn(answered.map(({ answer }) => answer)));
    for (const { sourceId, answer } of answered) {
      await folder.write(pulsePathOf(sourceId), jsonText(answer));
      if (this.#parts.frames) await folder.write(framePath(sourceId), frameText(sourceId, answer, this.#parts.frames));
    }
    await folder.write('v1/pulses', jsonText(pulsesAnswer(outcomes, wallNow())));
    // A source may have that name, or had it until now.
    const { files, leaving } = folder.record;
    const hasIndexSource =
      ids.includes('index.html') || [...files, ...leaving].some((path) => path.startsWith(`${LIST_INDEX}/`));
    // A folder of the name `sources` holds the pulses: hosts find the list as its index, or by the rules beside it.
    for (const path of ['v1/sources.json', ...(hasIndexSource ? [] : [LIST_INDEX])]) {
      if (!list) await folder.keep(path);
      else await folder.write(path, this.#listText(list));
    }
  }

  #listText({ rows, requestedAtMs }: { rows: readonly ReadSource[]; requestedAtMs: number }): string {
    const fieldPolicy = this.#fieldPolicy(() => null);
    const sources = rows.map((row) => publicSource(row, fieldPolicy));
    return jsonText({ meta: answerMeta(requestedAtMs, false), sources });
  }

  async #writeWidget(imageOrigins: readonly string[]): Promise<void> {
    const { folder, widget, allowedOrigins } = this.#parts;
    if (widget === undefined) this.#fault('The card is not built (npm run build): its script could not be written');
    else for (const [path, file] of widget.byPath) await folder.write(path.slice(1), file.in('identity').bytes);
    await folder.write('_headers', headersFile({ allowedOrigins, imageOrigins, scriptHash: widget?.hash }));
    await folder.write('_redirects', REDIRECTS_FILE);
  }

  #fault(line: string): void {
    this.#faults.push(line);
    this.#parts.progress.print(line);
  }
}

/** The list as the index of its folder. */
const LIST_INDEX = 'v1/sources/index.html';

function pulsePathOf(sourceId: string): string {
  return `v1/sources/${sourceId}/pulse`;
}

function isOld(outcome: SourceOutcome): boolean {
  return 'answer' in outcome ? outcome.answer.meta.stale : outcome.code !== 'pulse_not_found';
}

const REASONS: Readonly<Partial<Record<FetchFailure['code'], string>>> = {
  upstream_auth: 'the service refuses the key: "pulse-bff check" says what to do',
  upstream_rate_limited: "the key's window stays used up: leave more calls to the export (PULSE_RATE_RESERVE)",
  upstream_invalid: 'the service answered with something that is no such answer',
  upstream_unavailable: 'the service does not answer: is PULSE_BASE_URL right, and is it up?',
};

function reasonOf({ code }: FetchFailure): string {
  return REASONS[code] ?? code;
}
