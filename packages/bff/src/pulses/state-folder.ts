import { accessSync, constants, readdirSync, rmSync, statSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { idSchema, isSourceId, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { KeptText } from '../lib/kept-text.ts';
import { makeFolder, replaceFile } from '../lib/replace-file.ts';
import { isList, LIST } from '../upstream/target.ts';
import type { Account } from './account.ts';
import type { Entry } from './entry.ts';
import { hasHiddenField, keptJson, lacksField } from './kept-fields.ts';
import { checkedJson, fileNameFor, fileText, readRegularFile, withChecksum } from './kept-files.ts';
import type { KeptAnswer } from './store.ts';

const VERSION = 3;

/** The largest file of a pulse, and of everything else. */
const PULSE_BYTES = 512 * 1024;
const STATE_BYTES = 8 * 1024 * 1024;

/** How many files are read at the same time. */
const OPEN_FILES = 32;

/** An unfinished file that is older than this was left by a crash. */
const BEING_WRITTEN_MS = 60_000;

/** Text of sources that no one has requested for this long are removed. */
const KEEP_TEXT_MS = 400 * 86_400_000;

/** A time further in the future is damaged. */
const DAY_MS = 86_400_000;

const timeSchema = z
  .int()
  .nonnegative()
  .refine((ms) => ms <= Date.now() + DAY_MS);
const nameSchema = z.string().max(100);
const fieldsSchema = z.array(nameSchema).max(100);

const pulseFileSchema = z
  .object({
    version: z.literal(VERSION),
    account: nameSchema,
    sourceId: idSchema,
    fields: fieldsSchema,
    pulse: readPulseSchema.nullable(),
    requestedAtMs: timeSchema,
  })
  .refine(({ sourceId, pulse }) => pulse === null || pulse.sourceId === sourceId);

/** Rows and IDs that can't be parsed are omitted, as in the service's responses. */
const stateFileSchema = z.object({
  version: z.literal(VERSION),
  /** The digest of the account, or the name of a key if no response has identified the account. */
  account: nameSchema,
  keys: z.array(nameSchema).min(1),
  fields: fieldsSchema,
  sources: z
    .array(z.unknown())
    .max(1_000)
    .transform((rows) => rows.flatMap((row) => readSourceSchema.safeParse(row).data ?? []))
    .nullable(),
  requestedAtMs: timeSchema,
  /** IDs from earlier lists. */
  discovered: z.array(z.unknown()).transform((ids) => ids.filter(isSourceId)),
  refusedSinceMs: timeSchema.nullable(),
  refusedKey: nameSchema.optional(),
});

type StateFile = z.infer<typeof stateFileSchema>;
type PulseFile = z.infer<typeof pulseFileSchema>;

/** The time of each call, in ms since the Unix epoch and on the monotonic clock. */
const callsFileSchema = z.array(z.tuple([timeSchema, z.number()])).max(10_000);

/** The data that an earlier process saved. */
export interface SavedState {
  readonly account: Account;
  readonly rejected: { readonly keyName: string; readonly since: number } | undefined;
  readonly listed: readonly string[];
  readonly answers: readonly (readonly [target: string, answer: KeptAnswer])[];
}

export interface StateFolderOptions {
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  /** The fields that are stored. */
  readonly exposed: ReadonlySet<string>;
  /** The age from which a response is refreshed, in ms. */
  readonly freshMs: number;
}

/**
 * Stores one account's last good responses in a folder (`PULSE_STATE_DIR`), one file per source. Files are replaced
 * atomically. A folder that can't be read or written doesn't stop anything: `fault` reports why.
 */
export class StateFolder {
  readonly #folder: string;
  readonly #options: StateFolderOptions;
  #state: StateFile | undefined;
  #saved: SavedState | undefined;
  #isOwn = false;
  #fault: string | undefined;

  constructor(folder: string, options: StateFolderOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#fault = folderFault(folder);
  }

  /** The error code of the last write, such as `ENOSPC`; undefined if it succeeded. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Reads what earlier processes saved. `takeSaved()` returns it once it may be used. */
  async load(): Promise<SavedState | undefined> {
    void removeOldTexts(join(this.#folder, 'history'), this.#options.clock.wallNow() - KEEP_TEXT_MS);
    const text = await this.#read('state.json', STATE_BYTES);
    const state = documentIn(stateFileSchema, text ?? '');
    if (state === undefined) {
      if (text !== undefined) this.#options.warn(`Ignored state.json in "${this.#folder}", because it can’t be read`);
      return undefined;
    }
    this.#state = state;
    if (hasHiddenField(state.fields, this.#options.exposed)) this.#write('state.json', state, state.fields);
    const pulses = (await this.#loadPulses()).filter(({ account }) => account === state.account);
    return (this.#saved = this.#savedState(state, pulses));
  }

  /** The state that `load()` found, once. */
  takeSaved(): SavedState | undefined {
    const saved = this.#saved;
    this.#saved = undefined;
    return saved;
  }

  /**
   * When earlier processes made calls, on the monotonic clock; undefined if that isn't known. If the two clocks
   * disagree, because one was set or the machine was rebooted, the later time counts.
   */
  async earlierCalls(): Promise<readonly number[] | undefined> {
    const text = await this.#read('calls.json', STATE_BYTES);
    try {
      const now = this.#options.clock.now();
      const calls = callsFileSchema.parse(JSON.parse(text ?? ''));
      return calls.map(([wallMs, at]) => Math.max(this.#monotonicOf(wallMs), at <= now ? at : -Infinity));
    } catch {
      return undefined;
    }
  }

  /**
   * Records when calls were made, on the monotonic clock. If that can't be written, no later process may rely on the
   * record, so it is removed.
   */
  saveCalls(times: readonly number[]): void {
    const { clock } = this.#options;
    const calls = times.map((at) => [Math.round(clock.wallNow() - (clock.now() - at)), at]);
    const path = join(this.#folder, 'calls.json');
    try {
      replaceFile(path, JSON.stringify(calls));
    } catch (cause) {
      this.#fault = codeOf(cause);
      removeIfThere(path);
    }
  }

  /** Sets the account whose responses are saved from now on. Nothing is saved before that. */
  belongsTo({ digest, keys }: Account): void {
    const before = this.#state;
    const account = digest ?? keys[0] ?? '';
    const isSame = before?.account === account && before.keys.join() === keys.join();
    this.#state = { ...(before ?? EMPTY), version: VERSION, account, keys: [...keys] };
    this.#isOwn = true;
    if (before !== undefined && before.account !== account) this.#renameAccount(before.account);
    if (!isSame) this.#change({});
  }

  /** Saves a response before it is served, so that what a reader has seen survives a crash. */
  save(target: string, { value, requestedAtMs }: Entry, listed: readonly string[]): void {
    if (this.#state === undefined || !this.#isOwn) return;
    if (isList(value)) {
      const fields = [...this.#options.exposed];
      return this.#change({ sources: [...value.rows], requestedAtMs, discovered: [...listed], fields });
    }
    const { version, account } = this.#state;
    const file = { version, account, sourceId: target, pulse: value, requestedAtMs };
    this.#write(join('answers', fileNameFor(target)), file);
  }

  /** Saves since when the key is rejected, on the monotonic clock; undefined if it is accepted. */
  saveRejection(since: number | undefined, keyName: string): void {
    const before = this.#state?.refusedSinceMs ?? null;
    if ((before !== null) === (since !== undefined)) return;
    const { clock } = this.#options;
    const refusedSinceMs = since === undefined ? null : Math.round(clock.wallNow() - (clock.now() - since));
    this.#change({ refusedSinceMs, refusedKey: keyName });
  }

  /** Removes all responses. */
  clear(): void {
    this.#state = undefined;
    this.#saved = undefined;
    this.#isOwn = false;
    removeIfThere(join(this.#folder, 'state.json'));
    const answers = join(this.#folder, 'answers');
    for (const name of namesIn(answers)) removeIfThere(join(answers, name));
  }

  /** The text with this name. */
  text(name: string): KeptText {
    return fileText(join(this.#folder, `${name}.json`));
  }

  #savedState(state: StateFile, pulses: readonly PulseFile[]): SavedState {
    const { account, keys, refusedSinceMs, refusedKey, sources, discovered } = state;
    const digest = keys.includes(account) ? undefined : account;
    const kept = (value: KeptAnswer['value'], requestedAtMs: number, fields: readonly string[]): KeptAnswer => ({
      value,
      requestedAtMs,
      ageMs: this.#ageMs(requestedAtMs, fields),
      account: digest,
      keyName: keys.at(-1) ?? '',
    });
    return {
      account: { digest, keys },
      rejected:
        refusedSinceMs === null
          ? undefined
          : { since: this.#monotonicOf(refusedSinceMs), keyName: refusedKey ?? keys.at(-1) ?? '' },
      listed: discovered,
      answers: [
        ...(sources === null
          ? []
          : [[LIST, kept({ rows: sources, unreadableRows: 0 }, state.requestedAtMs, state.fields)] as const]),
        ...pulses.map((file) => [file.sourceId, kept(file.pulse, file.requestedAtMs, file.fields)] as const),
      ],
    };
  }

  /** A response is due for a refresh if it lacks a field that readers get. */
  #ageMs(requestedAtMs: number, fields: readonly string[]): number {
    const { clock, exposed, freshMs } = this.#options;
    const ageMs = Math.max(0, clock.wallNow() - requestedAtMs);
    return lacksField(fields, exposed) ? Math.max(ageMs, freshMs) : ageMs;
  }

  /** The responses were saved before a response identified the account. They belong to the same key. */
  #renameAccount(before: string): void {
    const { account = before } = this.#state ?? {};
    void this.#loadPulses().then((pulses) => {
      for (const pulse of pulses)
        if (pulse.account === before)
          this.#write(join('answers', fileNameFor(pulse.sourceId)), { ...pulse, account }, pulse.fields);
    });
  }

  #monotonicOf(wallMs: number): number {
    const { clock } = this.#options;
    return clock.now() - Math.max(0, clock.wallNow() - wallMs);
  }

  async #loadPulses(): Promise<PulseFile[]> {
    const folder = join(this.#folder, 'answers');
    const names = await readdir(folder).catch(() => [] as string[]);
    for (const name of names) if (name.endsWith('.new')) await removeIfLeft(join(folder, name));
    const files = names.filter((name) => name.endsWith('.json'));
    const pulses: PulseFile[] = [];
    for (let at = 0; at < files.length; at += OPEN_FILES) {
      const some = await Promise.all(files.slice(at, at + OPEN_FILES).map((name) => this.#loadPulse(name)));
      pulses.push(...some.filter((pulse) => pulse !== undefined));
    }
    const ignored = files.length - pulses.length;
    if (ignored > 0)
      this.#options.warn(
        `Ignored ${ignored} of ${files.length} responses in "${this.#folder}", because they can’t be read`,
      );
    return pulses;
  }

  async #loadPulse(name: string): Promise<PulseFile | undefined> {
    const pulse = documentIn(pulseFileSchema, (await this.#read(join('answers', name), PULSE_BYTES)) ?? '');
    if (pulse === undefined || fileNameFor(pulse.sourceId) !== name) return undefined;
    // Fields that are no longer exposed must not stay on the disk until the source is refreshed.
    if (hasHiddenField(pulse.fields, this.#options.exposed)) this.#write(join('answers', name), pulse, pulse.fields);
    return pulse;
  }

  #change(change: Partial<StateFile>): void {
    if (this.#state === undefined || !this.#isOwn) return;
    this.#state = { ...this.#state, ...change };
    this.#write('state.json', this.#state);
  }

  #write(name: string, document: object, fields?: readonly string[]): void {
    try {
      replaceFile(join(this.#folder, name), withChecksum(keptJson(document, this.#options.exposed, fields)));
      this.#fault = undefined;
    } catch (cause) {
      this.#fault = codeOf(cause);
    }
  }

  /** The text of a file; empty if it can't be read; undefined if there is none. */
  async #read(name: string, limitBytes: number): Promise<string | undefined> {
    try {
      return await readRegularFile(join(this.#folder, name), limitBytes);
    } catch (cause) {
      return codeOf(cause) === 'ENOENT' ? undefined : '';
    }
  }
}

const EMPTY = { fields: [], sources: null, requestedAtMs: 0, discovered: [], refusedSinceMs: null };

/** Creates the folder if it doesn't exist. Returns an error code if it can't be used. */
function folderFault(folder: string): string | undefined {
  try {
    makeFolder(join(folder, 'answers'), 0o700);
    if (!statSync(folder).isDirectory()) return 'ENOTDIR';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (cause) {
    return codeOf(cause);
  }
}

function documentIn<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(checkedJson(text))).data;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It can't be removed, so it can't have been written either.
  }
}

async function removeIfLeft(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts && Date.now() - facts.mtimeMs > BEING_WRITTEN_MS) await rm(path, { force: true }).catch(() => {});
}

async function removeOldTexts(folder: string, savedBeforeMs: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < savedBeforeMs) await rm(join(folder, name), { force: true }).catch(() => {});
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
