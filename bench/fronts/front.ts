import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DEPLOY = join(import.meta.dirname, '../../deploy');

/** A cache in front of the BFF, as a process. */
export interface Front {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A folder of its own for a program's files, and how to remove it. */
export interface FrontFolder {
  readonly path: string;
  /** Writes a file; returns its path. */
  write(name: string, text: string): string;
  remove(): void;
}

/** Makes a folder for the files of one front. */
export function frontFolder(name: string): FrontFolder {
  const path = mkdtempSync(join(tmpdir(), `pulse-${name}-`));
  // Varnish reads its files as a user of its own.
  chmodSync(path, 0o755);
  return {
    path,
    write: (file, text) => {
      writeFileSync(join(path, file), text);
      return join(path, file);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The configuration that operators copy out of `deploy/`, filled in. Throws where a name in it has no value. */
export function deployed(template: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(join(DEPLOY, template), 'utf8').replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`Cannot fill in ${template}: nothing is given for ${name}`);
    return value;
  });
}

/** Resolves once `url` answers, whatever it says. Rejects with `lines()` where it does not. */
export async function untilAnswering(url: string, lines: () => readonly string[]): Promise<void> {
  const until = performance.now() + 30_000;
  for (;;) {
    const answered = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      async (answer) => (await answer.arrayBuffer(), true),
      () => false,
    );
    if (answered) return;
    if (performance.now() > until) throw new Error(`Cannot reach ${url}:\n${lines().join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
