import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { idSchema, isSourceId, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import type { AnswerOwner } from '../upstream/port.ts';
import { AccountFingerprint, accountFactsSchema, digestSchema, type SavedAccount } from './account-guard.ts';

const VERSION = 2;

/** No answer of the service is longer, and neither is a file that holds one; the list with all ids is longer. */
const ANSWER_BYTES = 512 * 1024;
const LIST_BYTES = 8 * 1024 * 1024;

/** Files that are open at a time. */
const OPEN_FILES = 32;

/** A file that is still being written is no older than this. */
const BEING_WRITTEN_MS = 60_000;

const momentSchema = z.number().int().nonnegative();

const accountFileSchema = accountFactsSchema.extend({ version: z.literal(VERSION) });

const answerFileSchema = z
  .object({
    version: z.literal(VERSION),
    account: digestSchema,
    sourceId: idSchema,
    pulse: readPulseSchema.nullable(),
    requestedAtMs: momentSchema,
  })
  .refine(({ sourceId, pulse }) => pulse === null || pulse.sourceId === sourceId, 'is about another source');

/** Rows and ids that cannot be read are left out, as those of the service are. */
const listFileSchema = z.object({
  version: z.literal(VERSION),
  account: digestSchema,
  sources: z
    .array(z.unknown())
    .max(1_000)
    .transform((rows) => rows.flatMap((row) => readSourceSchema.safeParse(row).data ?? []))
    .nullable(),
  requestedAtMs: momentSchema,
  /** Ids that were shown or found at some time. */
  discovered: z.array(z.unknown()).transform((ids) => ids.filter(isSourceId)),
  /** Since when the key has been refused, where it is. */
  refusedSinceMs: momentSchema.nullable(),
});

/** An answer as it survives a restart. */
export type SavedAnswer = Omit<z.infer<typeof answerFileSchema>, 'version' | 'account'>;

/** The list, the ids and the state of the key as they survive a restart. */
export type SavedList = Omit<z.infer<typeof listFileSchema>, 'version' | 'account'>;

/** All that survived a restart, of one account. */
export interface SavedState {
  readonly account: SavedAccount;
  readonly list: SavedList | undefined;
  readonly answers: readonly SavedAnswer[];
}

/** The last good answers of one account in a folder: a file for each source, one for the list, one that says whose they are. */
export interface SnapshotStore {
  /** What earlier processes left, as far as it can be read and is sound; undefined where nobody knows whose it is. */
  load(): Promise<SavedState | undefined>;
  /** Goes on saving for the account that was loaded. */
  resume(): void;
  /** Says whose answers are saved from now on; those of another account are removed. Before this, nothing is saved. */
  belongsTo(owner: AnswerOwner): void;
  /** Writes an answer down before it is given to anybody: what a reader has seen once survives any crash after. */
  saveAnswer(answer: SavedAnswer): void;
  saveList(list: SavedList): void;
}

export interface SnapshotStoreOptions {
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
}

/** Keeps the last good answers under `folder`. Each file is replaced whole, so that no crash leaves half of one. */
export function openSnapshotStore(folder: string, options: SnapshotStoreOptions = {}): SnapshotStore {
  return new FileSnapshotStore(folder, options);
}

class FileSnapshotStore implements SnapshotStore {
  readonly #folder: string;
  readonly #answersFolder: string;
  readonly #listPath: string;
  readonly #accountPath: string;
  readonly #warn: (message: string) => void;
  #saved: AccountFingerprint | undefined;
  /** Whose answers are saved; undefined before that is known. */
  #current: AccountFingerprint | undefined;
  /** Why nothing can be written, for as long as that is so: it is said once. */
  #fault: string | undefined;

  constructor(folder: string, { warn = () => {} }: SnapshotStoreOptions) {
    this.#folder = folder;
    this.#answersFolder = join(folder, 'answers');
    this.#listPath = join(folder, 'list.json');
    this.#accountPath = join(folder, 'account.json');
    this.#warn = warn;
  }

  async load(): Promise<SavedState | undefined> {
    // One level at a time: asked for all at once, Node never returns where nothing may be made, as under /proc.
    for (const missing of [this.#folder, this.#answersFolder])
      await mkdir(missing, { mode: 0o700 }).catch((cause) => codeOf(cause) === 'EEXIST' || this.#complain(cause));
    const facts = readDocument(accountFileSchema, (await textOf(this.#accountPath, ANSWER_BYTES)) ?? '');
    if (!facts) return undefined;
    this.#saved = new AccountFingerprint(facts);
    const { list, answers } = { list: await this.#loadList(), answers: await this.#loadAnswers() };
    const isOfAccount = ({ account }: { account: string }): boolean => account === facts.account;
    return {
      account: this.#saved,
      list: list && isOfAccount(list) ? list : undefined,
      answers: answers.filter(isOfAccount),
    };
  }

  resume(): void {
    this.#current ??= this.#saved;
  }

  belongsTo(owner: AnswerOwner): void {
    const known = this.#current ?? this.#saved ?? this.#savedMeanwhile();
    const isSame = known !== undefined && known.isAccount(owner.account ?? '');
    if (isSame && known.hasKey(owner.keyName)) return void (this.#current = known);
    if (!isSame) this.#removeAll();
    this.#current = isSame ? known.withKey(owner.keyName) : AccountFingerprint.of(owner);
    this.#write(this.#accountPath, this.#current.facts);
  }

  /** Whose answers a process that was started at the same time has begun to save. */
  #savedMeanwhile(): AccountFingerprint | undefined {
    try {
      const facts = readDocument(accountFileSchema, readFileSync(this.#accountPath, 'utf8'));
      return facts && new AccountFingerprint(facts);
    } catch {
      return undefined;
    }
  }

  saveAnswer(answer: SavedAnswer): void {
    this.#save(join(this.#answersFolder, fileNameFor(answer.sourceId)), answer);
  }

  saveList(list: SavedList): void {
    this.#save(this.#listPath, list);
  }

  async #loadList() {
    const text = await textOf(this.#listPath, LIST_BYTES);
    if (text === undefined) return undefined;
    const list = readDocument(listFileSchema, text);
    if (!list) this.#warn(`Ignored in "${this.#folder}": the list, which cannot be read`);
    return list;
  }

  async #loadAnswers() {
    const names = await readdir(this.#answersFolder).catch(() => []);
    const unfinished = names.filter((name) => name.endsWith('.new')).map((name) => join(this.#answersFolder, name));
    await inTurns(unfinished, removeIfLeft);
    const files = names.filter((name) => name.endsWith('.json'));
    const answers = (await inTurns(files, (name) => this.#loadAnswer(name))).filter((answer) => answer !== undefined);
    if (answers.length < files.length)
      this.#warn(
        `Ignored in "${this.#folder}": ${files.length - answers.length} of ${files.length} answers, which cannot be read`,
      );
    return answers;
  }

  async #loadAnswer(name: string) {
    const answer = readDocument(answerFileSchema, (await textOf(join(this.#answersFolder, name), ANSWER_BYTES)) ?? '');
    return answer && fileNameFor(answer.sourceId) === name ? answer : undefined;
  }

  #removeAll(): void {
    try {
      for (const path of [this.#accountPath, this.#listPath]) rmSync(path, { force: true });
      for (const name of readdirSync(this.#answersFolder)) rmSync(join(this.#answersFolder, name), { force: true });
    } catch (cause) {
      this.#complain(cause);
    }
  }

  #save(path: string, document: object): void {
    if (this.#current) this.#write(path, { account: this.#current.facts.account, ...document });
  }

  #write(path: string, document: object): void {
    try {
      replaceFile(path, JSON.stringify({ version: VERSION, ...document }));
      this.#fault = undefined;
    } catch (cause) {
      this.#complain(cause);
    }
  }

  #complain(cause: unknown): void {
    const fault = codeOf(cause);
    if (fault !== this.#fault) this.#warn(`Cannot keep answers in "${this.#folder}": ${fault}`);
    this.#fault = fault;
  }
}

/** Ids differ in case alone where file names must not: the name is a digest. */
function fileNameFor(sourceId: string): string {
  return `${createHash('sha256').update(sourceId).digest('hex').slice(0, 32)}.json`;
}

/** Of two processes that write at once, neither writes into the other's file. */
function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw cause;
  }
}

async function removeIfLeft(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts && Date.now() - facts.mtimeMs > BEING_WRITTEN_MS) await rm(path, { force: true }).catch(() => {});
}

/** Calls `work` for each item, for a few at a time. */
async function inTurns<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += OPEN_FILES)
    results.push(...(await Promise.all(items.slice(at, at + OPEN_FILES).map(work))));
  return results;
}

/** The text of a file; empty where it is too long or cannot be read, undefined where there is none. */
async function textOf(path: string, limitBytes: number): Promise<string | undefined> {
  try {
    return (await stat(path)).size > limitBytes ? '' : await readFile(path, 'utf8');
  } catch (cause) {
    return codeOf(cause) === 'ENOENT' ? undefined : '';
  }
}

function readDocument<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
