import { createHash } from 'node:crypto';
import { accessSync, constants, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { idSchema, isSourceId, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import PQueue from 'p-queue';
import { z } from 'zod';
import { checkedJson, withChecksum } from '../../lib/checksum.ts';
import type { AnswerFolder, SavedState } from '../../cache/answer-folder.ts';
import { ALL_FIELDS, type ExposedFields, hasHiddenField, lacksField, storedText } from '../../cache/kept-fields.ts';
import type { Clock } from '../../lib/clock.ts';
import { readRegularFile } from './read-regular-file.ts';
import { makeFolder, replaceFile } from '../../lib/replace-file.ts';
import { storedTime } from '../../lib/stored-time.ts';
import { type Answer, RESTORED_TOKEN } from '../../upstream/answer.ts';
import { type Content, isList, LIST_ID } from '../../upstream/subject.ts';

const VERSION = 3;

/** The maximum size of a pulse's file, and of the file for everything else. */
const PULSE_BYTES = 512 * 1024;
const STATE_BYTES = 8 * 1024 * 1024;

/** The maximum number of files that are open at the same time. */
const OPEN_FILES = 32;

/** An unfinished file that is older than this was left by a crash. */
const BEING_WRITTEN_MS = 60_000;

const timeSchema = storedTime(Date.now);

/** The exposed fields that were part of the stored entry. */
const fieldsSchema = z.array(z.string().max(100)).max(100);

/** A digest of the account, or the name of the key if no answer has named an account. */
const accountSchema = z.string().max(100);

const pulseFileSchema = z
  .object({
    version: z.literal(VERSION),
    account: accountSchema,
    sourceId: idSchema,
    fields: fieldsSchema,
    pulse: readPulseSchema.nullable(),
    requestedAtMs: timeSchema,
  })
  .refine(({ sourceId, pulse }) => pulse === null || pulse.sourceId === sourceId, 'is about another source');

/** Rows and ids that can't be read are skipped, as in answers from the service. */
const stateFileSchema = z.object({
  version: z.literal(VERSION),
  account: accountSchema,
  /** Names of the keys that are known to belong to the account, with the latest key last. */
  keys: z.array(z.string().max(100)).min(1),
  /** The ids of `sources`. */
  fields: fieldsSchema,
  sources: z
    .array(z.unknown())
    .max(1_000)
    .transform((rows) => rows.flatMap((row) => readSourceSchema.safeParse(row).data ?? []))
    .nullable(),
  requestedAtMs: timeSchema,
  /** Ids that were not configured, but found at run time. */
  discovered: z.array(z.unknown()).transform((ids) => ids.filter(isSourceId)),
  /** When the key was first refused; null if the key is accepted. */
  refusedSinceMs: timeSchema.nullable(),
});

type PulseFile = z.infer<typeof pulseFileSchema>;
type StateFile = z.infer<typeof stateFileSchema>;

const EMPTY = { fields: [], sources: null, requestedAtMs: 0, discovered: [], refusedSinceMs: null };

/** Creates `folder` if it doesn't exist. Returns an error code if `folder` isn't a folder or isn't writable. */
function folderFault(folder: string): string | undefined {
  try {
    makeFolder(folder, 0o700);
    if (!statSync(folder).isDirectory()) return 'ENOTDIR';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (cause) {
    return codeOf(cause);
  }
}

export interface StateFolderOptions {
  readonly clock: Clock;
  readonly warn?: (message: string) => void;
  /** The fields that are stored. @default all */
  readonly exposed?: ExposedFields;
  /** The age at which an answer becomes stale, in ms. @default 0 */
  readonly freshForMs?: number;
}

/**
 * Keeps the last good answers for one account in a folder. Each source has its own file, and one more file contains
 * everything else. Files are replaced atomically. If the folder can't be read or written, the BFF still runs. The error
 * code of the last write says why.
 */
export class StateFolder implements AnswerFolder {
  readonly #folder: string;
  readonly #options: Required<StateFolderOptions>;
  #state: StateFile | undefined;
  /** Whether the key in use is known to belong to the account of `#state`. */
  #isWritable = false;
  #fault: string | undefined;

  constructor(folder: string, { clock, warn = () => {}, exposed = ALL_FIELDS, freshForMs = 0 }: StateFolderOptions) {
    this.#folder = folder;
    this.#options = { clock, warn, exposed, freshForMs };
    this.#fault = folderFault(folder);
  }

  /** The folder with one file for each source. */
  get #pulsesFolder(): string {
    return join(this.#folder, 'answers');
  }

  get #statePath(): string {
    return join(this.#folder, 'state.json');
  }

  /**
   * The error code of the last write, such as `ENOSPC`; undefined if the write succeeded. If nothing was written yet,
   * this is the error code of opening the folder.
   */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Loads the valid files of earlier processes; undefined if their account is unknown. */
  async load(): Promise<SavedState | undefined> {
    await mkdir(this.#pulsesFolder, { mode: 0o700 }).catch(
      (cause) => codeOf(cause) === 'EEXIST' || this.#failed(cause),
    );
    const text = await textOf(this.#statePath, STATE_BYTES);
    this.#state = readDocument(stateFileSchema, text ?? '');
    const state = this.#state;
    if (!state) {
      if (text !== undefined) this.#options.warn(`Ignored state.json in "${this.#folder}", because it cannot be read`);
      return undefined;
    }
    if (hasHiddenField(state.fields, this.#options.exposed)) this.#write(this.#statePath, state);
    const pulses = (await this.#loadPulses()).filter(({ account }) => account === state.account);
    return this.#savedState(state, pulses);
  }

  /** Sets the account whose answers are saved from now on. Nothing is saved before the first call of this method. */
  belongsTo(account: string, keys: readonly string[]): void {
    const before = this.#state;
    this.#state = { ...(before ?? EMPTY), version: VERSION, account, keys: [...keys] };
    this.#isWritable = true;
    if (before?.account !== account || before.keys.join() !== keys.join()) this.#change({});
  }

  /** Saves an answer before it is served. An answer that a reader has seen therefore survives a crash. */
  save(subject: string, { value, requestedAtMs }: Answer<Content>): void {
    if (!this.#state || !this.#isWritable) return;
    if (isList(value)) {
      const { rows, discovered = [] } = value;
      const fields = [...this.#options.exposed];
      return this.#change({ sources: [...rows], requestedAtMs, discovered: [...discovered], fields });
    }
    const { version, account } = this.#state;
    const path = join(this.#pulsesFolder, fileNameFor(subject));
    this.#write(path, { version, account, sourceId: subject, pulse: value, requestedAtMs });
  }

  /**
   * Saves how long the key has been refused, so that a restart doesn't extend the lifetime of stale answers.
   */
  saveRefusal(refusedForMs: number | undefined): void {
    const isSaved = (this.#state?.refusedSinceMs ?? null) !== null;
    if (isSaved === (refusedForMs !== undefined)) return;
    this.#change({
      refusedSinceMs: refusedForMs === undefined ? null : Math.round(this.#options.clock.wallNow() - refusedForMs),
    });
  }

  /** Removes all saved state. */
  clear(): void {
    this.#state = undefined;
    try {
      rmSync(this.#statePath, { force: true });
      for (const name of readdirSync(this.#pulsesFolder)) rmSync(join(this.#pulsesFolder, name), { force: true });
    } catch (cause) {
      this.#failed(cause);
    }
  }

  #savedState(state: StateFile, pulses: readonly PulseFile[]): SavedState {
    const { account, keys, refusedSinceMs, sources, discovered } = state;
    const list = sources && { rows: sources, unreadableRows: 0, discovered };
    return {
      account,
      keys,
      refusedAt: refusedSinceMs === null ? undefined : this.#monotonicOf(refusedSinceMs),
      answers: [
        ...(list ? [[LIST_ID, this.#answerOf(list, state)] as const] : []),
        ...pulses.map((file) => [file.sourceId, this.#answerOf(file.pulse, file)] as const),
      ],
    };
  }

  #answerOf(value: Content, { requestedAtMs, fields }: Pick<PulseFile, 'requestedAtMs' | 'fields'>): Answer<Content> {
    const { clock, exposed, freshForMs } = this.#options;
    // An answer is stale if it lacks a field that readers get.
    const latest = lacksField(fields, exposed) ? clock.now() - freshForMs : Infinity;
    const requestedAt = Math.min(latest, this.#monotonicOf(requestedAtMs));
    return { value, requestedAtMs, requestedAt, fencingToken: RESTORED_TOKEN };
  }

  /** Converts a time on the wall clock to a time on the monotonic clock. The result is never in the future. */
  #monotonicOf(wallMs: number): number {
    const { clock } = this.#options;
    return clock.now() - Math.max(0, clock.wallNow() - wallMs);
  }

  async #loadPulses(): Promise<PulseFile[]> {
    const names = await readdir(this.#pulsesFolder).catch(() => []);
    const unfinished = names.filter((name) => name.endsWith('.new'));
    const files = names.filter((name) => name.endsWith('.json'));
    const reads = new PQueue({ concurrency: OPEN_FILES });
    await reads.addAll(unfinished.map((name) => () => removeIfLeft(join(this.#pulsesFolder, name))));
    const found = await reads.addAll(files.map((name) => () => this.#loadPulse(name)));
    const pulses = found.filter((pulse) => pulse !== undefined);
    const ignored = files.length - pulses.length;
    if (ignored > 0)
      this.#options.warn(
        `Ignored ${ignored} of ${files.length} answers in "${this.#folder}", because they cannot be read`,
      );
    return pulses;
  }

  async #loadPulse(name: string): Promise<PulseFile | undefined> {
    const pulse = readDocument(pulseFileSchema, (await textOf(join(this.#pulsesFolder, name), PULSE_BYTES)) ?? '');
    if (!pulse || fileNameFor(pulse.sourceId) !== name) return undefined;
    // Fields that are no longer exposed must not stay on the disk until the source is refreshed.
    if (hasHiddenField(pulse.fields, this.#options.exposed)) this.#write(join(this.#pulsesFolder, name), pulse);
    return pulse;
  }

  #change(change: Partial<StateFile>): void {
    if (!this.#state || !this.#isWritable) return;
    this.#state = { ...this.#state, ...change };
    this.#write(this.#statePath, this.#state);
  }

  #write(path: string, document: object): void {
    try {
      replaceFile(path, withChecksum(storedText(document, this.#options.exposed)));
      this.#fault = undefined;
    } catch (cause) {
      this.#failed(cause);
    }
  }

  #failed(cause: unknown): void {
    this.#fault = codeOf(cause);
  }
}

/**
 * The name of a file is a digest of the id. Two ids may differ only in case, which some file systems ignore in file
 * names.
 */
function fileNameFor(sourceId: string): string {
  return `${createHash('sha256').update(sourceId).digest('hex').slice(0, 32)}.json`;
}

async function removeIfLeft(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts && Date.now() - facts.mtimeMs > BEING_WRITTEN_MS) await rm(path, { force: true }).catch(() => {});
}

/**
 * The text of a file. The text is empty if the file is too long, is unreadable, or isn't a regular file. The text is
 * undefined if there is no file.
 */
async function textOf(path: string, limitBytes: number): Promise<string | undefined> {
  try {
    return await readRegularFile(path, limitBytes);
  } catch (cause) {
    return codeOf(cause) === 'ENOENT' ? undefined : '';
  }
}

function readDocument<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(checkedJson(text))).data;
  } catch {
    return undefined;
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
