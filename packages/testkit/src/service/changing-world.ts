import { type Pulse, type Source } from '@pulse-card/contract';
import { type Random, randomFrom } from '../random.ts';

/** The options for the account behind the key: its sources, and how fast they change. */
export interface WorldOptions {
  /** The number of sources. @default 10 */
  readonly sources?: number;
  /**
   * The shortest and longest mean time between two changes to a source, in ms. Each doubling in between is equally
   * likely. @default never: sources change only when a test delivers a run
   */
  readonly changeEveryMs?: readonly [min: number, max: number];
  /** @default 1 */
  readonly seed?: number;
  /** The charts' base URL, without a trailing slash. @default https://cdn.acme.test */
  readonly chartsUrl?: string | (() => string);
}

/** How often sources change in benchmarks: from every half minute to every hour, distributed logarithmically. */
export const LIVELY_MS = [30_000, 3_600_000] as const;

const ORGANIZATION = { organizationId: 'org_1', organizationName: 'Acme', organizationSlug: 'acme' };
const WORDS =
  'revenue orders returns margin north south online shops week month quarter rose fell held doubled halved slowly sharply since before after April May June strongest weakest stocktaking campaign discount weather holiday forecast average median customers baskets visits stock delivery region team target'.split(
    ' ',
  );

/** Sources whose pulses change over time. The content at any moment depends only on the seed. */
export class ChangingWorld {
  readonly ids: readonly string[];
  readonly #startedAt: number;
  readonly #chartsUrl: () => string;
  readonly #changes = new Map<string, { readonly atMs: number[]; readonly random: Random; readonly meanMs: number }>();

  /** `startedAt` is in ms since 1970. No source changes before that time. */
  constructor(startedAt: number, options: WorldOptions = {}) {
    const { sources = 10, changeEveryMs = [Infinity, Infinity], seed = 1 } = options;
    this.#startedAt = startedAt;
    const { chartsUrl = 'https://cdn.acme.test' } = options;
    this.#chartsUrl = typeof chartsUrl === 'string' ? () => chartsUrl : chartsUrl;
    this.ids = Array.from({ length: sources }, (_, index) => `src_${String(index + 1).padStart(3, '0')}`);
    for (const [index, id] of this.ids.entries()) {
      const random = randomFrom(seed * 100_003 + index);
      this.#changes.set(id, {
        atMs: [],
        random,
        meanMs: changeEveryMs[0] === Infinity ? Infinity : random.logEven(...changeEveryMs),
      });
    }
  }

  /** The number of changes to a source up to `now`, or -1 if the source doesn't exist. */
  versionAt(id: string, now: number): number {
    const source = this.#changes.get(id);
    if (source === undefined) return -1;
    while ((source.atMs.at(-1) ?? this.#startedAt) <= now) {
      source.atMs.push((source.atMs.at(-1) ?? this.#startedAt) + source.random.exponential(source.meanMs));
    }
    return source.atMs.findIndex((atMs) => atMs > now);
  }

  /** A source's newest pulse, or undefined if the source doesn't exist. */
  pulseOf(id: string, now: number): Pulse | undefined {
    const version = this.versionAt(id, now);
    if (version < 0) return undefined;
    return {
      jobRunId: `run_${id}_${version}`,
      sourceId: id,
      sourceName: `Revenue of ${id}`,
      status: 'SUCCESS',
      completedAt: new Date(this.#changedAt(id, version)).toISOString(),
      imageUrl: `${this.#chartsUrl()}/charts/${id}_${version}.png`,
      aiSummaryShort: `Revenue of ${id} rose 12% in run ${version}.`,
      aiSummaryLong: analysisOf(randomFrom(version * 1_009 + this.ids.indexOf(id))),
      deliveryLink: null,
      ...ORGANIZATION,
    };
  }

  /** All sources, most recently changed first. */
  sources(now: number): Source[] {
    return this.ids
      .map((id) => ({ id, changedAt: this.#changedAt(id, this.versionAt(id, now)) }))
      .toSorted((a, b) => b.changedAt - a.changedAt)
      .map(({ id }) => ({
        id,
        name: `Revenue of ${id}`,
        provider: 'GOOGLE',
        status: 'ACTIVE',
        link: `https://app.acme.test/admin/sources/${id}`,
        connectionCount: 1,
        ...ORGANIZATION,
      }));
  }

  #changedAt(id: string, version: number): number {
    return version === 0 ? this.#startedAt : this.#changes.get(id)!.atMs[version - 1]!;
  }
}

/** Six paragraphs that are as long as a real analysis and compress about as well. */
function analysisOf(random: Random): string {
  const word = () => WORDS[Math.floor(random.even() * WORDS.length)]!;
  const sentence = () =>
    `**${word()}** ${Array.from({ length: 12 }, word).join(' ')} by ${(random.even() * 30).toFixed(1)} %.`;
  return Array.from({ length: 6 }, () => `${sentence()} ${sentence()} ${sentence()}`).join('\n\n');
}
