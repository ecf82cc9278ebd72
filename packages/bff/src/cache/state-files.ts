import { createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idSchema, readPulseSchema, readSourceSchema } from '@pulse-card/contract';
import { z } from 'zod';

const VERSION = 1;

const answerFileSchema = z.object({
  version: z.literal(VERSION),
  sourceId: idSchema,
  pulse: readPulseSchema.nullable(),
  requestedAtMs: z.number().int().nonnegative(),
});

const listFileSchema = z.object({
  version: z.literal(VERSION),
  sources: z.array(readSourceSchema).max(1_000).nullable(),
  requestedAtMs: z.number().int().nonnegative(),
  /** Ids that were shown or found at some time. */
  met: z.array(idSchema).max(100_000),
  /** Since when the key has been refused, where it is. */
  refusedSinceMs: z.number().int().nonnegative().nullable(),
});

/** An answer as it survives a restart. */
export type SavedAnswer = Omit<z.infer<typeof answerFileSchema>, 'version'>;

/** The list, the ids and the state of the key as they survive a restart. */
export type SavedList = Omit<z.infer<typeof listFileSchema>, 'version'>;

/** The last good answers in a folder: a file for each source, and one for the list. */
export interface StateFiles {
  /** What earlier processes left, as far as it can be read and is sound. */
  load(): Promise<{ list: SavedList | undefined; answers: readonly SavedAnswer[] }>;
  /** Writes an answer down before it is given to anybody: what a reader has seen once survives any crash after. */
  saveAnswer(answer: SavedAnswer): void;
  saveList(list: SavedList): void;
}

export interface StateFilesOptions {
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
}

/** Keeps the last good answers under `folder`. Each file is replaced whole, so that no crash leaves half of one. */
export function openStateFiles(folder: string, { warn = () => {} }: StateFilesOptions = {}): StateFiles {
  const answersFolder = join(folder, 'answers');

  function save(path: string, document: object): void {
    try {
      replaceFile(path, JSON.stringify({ version: VERSION, ...document }));
    } catch (cause) {
      warn(`Cannot keep an answer in "${folder}": ${codeOf(cause)}`);
    }
  }

  function unlessThere(cause: unknown): void {
    if (codeOf(cause) !== 'EEXIST') warn(`Cannot keep answers in "${folder}": ${codeOf(cause)}`);
  }

  async function loadAnswers(): Promise<SavedAnswer[]> {
    const names = await readdir(answersFolder).catch(() => []);
    const texts = await Promise.all(names.map((name) => textOf(join(answersFolder, name))));
    return texts.flatMap((text) => readDocument(answerFileSchema, text) ?? []);
  }

  return {
    async load() {
      // One level at a time: asked for all at once, Node never returns where nothing may be made, as under /proc.
      for (const missing of [folder, answersFolder]) await mkdir(missing, { mode: 0o700 }).catch(unlessThere);
      const list = readDocument(listFileSchema, await textOf(join(folder, 'list.json')));
      return { list, answers: await loadAnswers() };
    },
    saveAnswer: (answer) => save(join(answersFolder, fileNameFor(answer.sourceId)), answer),
    saveList: (list) => save(join(folder, 'list.json'), list),
  };
}

/** Ids differ in case alone where file names must not: the name is a digest. */
function fileNameFor(sourceId: string): string {
  return `${createHash('sha256').update(sourceId).digest('hex').slice(0, 32)}.json`;
}

function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
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
