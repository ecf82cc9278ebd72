import type { Pulse, Source } from '@pulse-card/contract';
import { ChangingWorld, type WorldOptions } from './changing-world.ts';

/** What a key may read. */
export interface KeyRights {
  readonly list: boolean;
  readonly pulses: boolean;
}

/** The account behind the keys: its sources and pulses, which change automatically or when a test changes them. */
export class Account {
  readonly #world: ChangingWorld;
  readonly #sources = new Map<string, Source>();
  readonly #pulses = new Map<string, Pulse | undefined>();
  #deliveries = 0;

  constructor(options: WorldOptions) {
    this.#world = new ChangingWorld(Date.now(), options);
  }

  /** The IDs of the sources that have existed from the start. */
  get ids(): readonly string[] {
    return this.#world.ids;
  }

  /** All sources. The list shows the first ten. */
  sources(now: number): Source[] {
    const grown = this.#world.sources(now).map((source) => this.#sources.get(source.id) ?? source);
    return [...[...this.#sources.values()].filter(({ id }) => !this.ids.includes(id)), ...grown];
  }

  /** The latest pulse of a source. */
  pulseOf(id: string, now: number): Pulse | undefined {
    return this.#pulses.has(id) ? this.#pulses.get(id) : this.#world.pulseOf(id, now);
  }

  /** Changes a source, or adds one. */
  setSource(id: string, fields: Partial<Source>): void {
    const known = this.sources(Date.now()).find((source) => source.id === id);
    const [first] = this.sources(Date.now());
    this.#sources.set(id, { ...(known ?? first)!, id, ...fields });
  }

  /** Delivers a source's next run. Missing fields are derived from the ID. Returns the run's ID. */
  deliver(id: string, fields: Partial<Pulse> = {}): string {
    this.#deliveries += 1;
    const [model = ''] = this.ids;
    const before = this.pulseOf(id, Date.now()) ?? this.#world.pulseOf(model, Date.now())!;
    const jobRunId = `run_${id}_d${this.#deliveries}`;
    const completedAt = new Date().toISOString();
    this.#pulses.set(id, { ...before, sourceId: id, jobRunId, completedAt, ...fields });
    return fields.jobRunId ?? jobRunId;
  }

  /** Removes a source's pulse: the service returns 404 for it. */
  removePulse(id: string): void {
    this.#pulses.set(id, undefined);
  }
}
