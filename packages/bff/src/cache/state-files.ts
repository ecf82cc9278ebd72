import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
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
  saveAnswer(answer: SavedAnswer): void;
  saveList(list: SavedList): void;
  /** Resolves when all that was to be saved is written, or could not be. */
  flushed(): Promise<void>;
}

export interface StateFilesOptions {
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
}

/** Keeps the last good answers under `folder`. Each file is replaced whole, so that no crash leaves half of one. */
export function openStateFiles(folder: string, { warn = () => {} }: StateFilesOptions = {}): StateFiles {
  const answersFolder = join(folder, 'answers');
  const pending = new Map<string, () => string>();
  let writing: Promise<void> | undefined;

  function save(path: string, textOf: () => string): void {
    pending.set(path, textOf);
    writing ??= writeAll().finally(() => (writing = undefined));
  }

  async function writeAll(): Promise<void> {
    for (let next = firstOf(pending); next; next = firstOf(pending)) {
      const [path, textOf] = next;
      pending.delete(path);
      await replaceFile(path, textOf()).catch((cause: unknown) => warn(`Cannot save an answer: ${codeOf(cause)}`));
    }
  }

  async function loadAnswers(): Promise<SavedAnswer[]> {
    const names = await readdir(answersFolder).catch(() => []);
    const texts = await Promise.all(names.map((name) => textOf(join(answersFolder, name))));
    return texts.flatMap((text) => readDocument(answerFileSchema, text) ?? []);
  }

  return {
    async load() {
      await mkdir(answersFolder, { recursive: true, mode: 0o700 }).catch((cause: unknown) =>
        warn(`Cannot keep answers in "${folder}": ${codeOf(cause)}`),
      );
      const list = readDocument(listFileSchema, await textOf(join(folder, 'list.json')));
      return { list, answers: await loadAnswers() };
    },
    saveAnswer: (answer) =>
      save(join(answersFolder, fileNameFor(answer.sourceId)), () => JSON.stringify({ version: VERSION, ...answer })),
    saveList: (list) => save(join(folder, 'list.json'), () => JSON.stringify({ version: VERSION, ...list })),
    flushed: async () => writing,
  };
}

/** Ids differ in case alone where file names must not: the name is a digest. */
function fileNameFor(sourceId: string): string {
  return `${createHash('sha256').update(sourceId).digest('hex').slice(0, 32)}.json`;
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path).catch(async (cause: unknown) => {
    await unlink(draft).catch(() => {});
    throw cause;
  });
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

function firstOf<Key, Value>(map: ReadonlyMap<Key, Value>): [Key, Value] | undefined {
  return map.entries().next().value;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
