import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { idSchema, isSourceId, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';
import { replaceFile } from '../replace-file.ts';
import type { AnswerOwner } from '../upstream/upstream.ts';
import { AccountFingerprint, accountFactsSchema, digestSchema } from './account-guard.ts';

const VERSION = 2;

/** The largest file of an answer, and that of the list with all ids. */
const ANSWER_BYTES = 512 * 1024;
const LIST_BYTES = 8 * 1024 * 1024;

/** Files open at a time. */
const OPEN_FILES = 32;

/** An unfinished file older than this was left by a crash. */
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
  /** Ids found at run time. */
  discovered: z.array(z.unknown()).transform((ids) => ids.filter(isSourceId)),
  /** When the key was first refused; null while it is accepted. */
  refusedSinceMs: momentSchema.nullable(),
});

/** A saved answer. */
export type SavedAnswer = Omit<z.infer<typeof answerFileSchema>, 'version' | 'account'>;

/** The saved list, ids and state of the key. */
export type SavedList = Omit<z.infer<typeof listFileSchema>, 'version' | 'account'>;

/** Everything that was saved, of one account. */
export interface SavedState {
  readonly account: AccountFingerprint;
  readonly list: SavedList | undefined;
  readonly answers: readonly SavedAnswer[];
}

/**
 * The last good answers of one account in a folder: a file for each source, one for the list, one for the account. Files are
 * replaced atomically.
 */
export class SnapshotStore {
  readonly #folder: string;
  readonly #answersFolder: string;
  readonly #listPath: string;
  readonly #accountPath: string;
  readonly #warn: (message: string) => void;
  #saved: AccountFingerprint | undefined;
  /** The account whose answers are saved; undefined before it is known. */
  #current: AccountFingerprint | undefined;
  /** The last error of a write, so that it is logged once. */
  #fault: string | undefined;

  constructor(folder: string, { warn = () => {} }: { readonly warn?: (message: string) => void } = {}) {
    this.#folder = folder;
    this.#answersFolder = join(folder, 'answers');
    this.#listPath = join(folder, 'list.json');
    this.#accountPath = join(folder, 'account.json');
    this.#warn = warn;
  }

  /** What earlier processes saved, less what is invalid; undefined where its account is unknown. */
  async load(): Promise<SavedState | undefined> {
    await mkdir(this.#answersFolder, { mode: 0o700 }).catch(
      (cause) => codeOf(cause) === 'EEXIST' || this.#complain(cause),
    );
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

  /** Goes on saving for the account that was loaded. */
  resume(): void {
    this.#current ??= this.#saved;
  }

  /** Sets the account whose answers are saved; removes those of another one. Nothing is saved before this call. */
  belongsTo(owner: AnswerOwner): void {
    const known = this.#current ?? this.#saved ?? this.#savedMeanwhile();
    const isSame = known !== undefined && known.isAccount(owner.account ?? '');
    if (isSame && known.hasKey(owner.keyName)) return void (this.#current = known);
    if (!isSame) this.#removeAll();
    this.#current = isSame ? known.withKey(owner.keyName) : AccountFingerprint.of(owner);
    this.#write(this.#accountPath, this.#current.facts);
  }

  /** The account of a process that started at the same time and has begun to save. */
  #savedMeanwhile(): AccountFingerprint | undefined {
    try {
      const facts = readDocument(accountFileSchema, readFileSync(this.#accountPath, 'utf8'));
      return facts && new AccountFingerprint(facts);
    } catch {
      return undefined;
    }
  }

  /** Saves an answer before it is served, so that what a reader has seen survives a crash. */
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

/** Ids may differ in case alone and file names may not: the name is a digest. */
function fileNameFor(sourceId: string): string {
  return `${createHash('sha256').update(sourceId).digest('hex').slice(0, 32)}.json`;
}

async function removeIfLeft(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts && Date.now() - facts.mtimeMs > BEING_WRITTEN_MS) await rm(path, { force: true }).catch(() => {});
}

/** Calls `work` for each item, a few at a time. */
async function inTurns<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += OPEN_FILES)
    results.push(...(await Promise.all(items.slice(at, at + OPEN_FILES).map(work))));
  return results;
}

/** The text of a file; empty where it is too long or unreadable, undefined where there is none. */
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
