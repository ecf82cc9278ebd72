import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** What the process of readers is told. */
export type Order =
  | { readonly kind: 'open'; readonly urls: readonly string[]; readonly count: number }
  | { readonly kind: 'say' | 'forget' | 'leave' };

/** What readers have seen since they were last told to forget; times in ms since 1970. */
export interface Said {
  readonly open: number;
  readonly refused: number;
  readonly openedAtMs: readonly number[];
  readonly runs: readonly { readonly run: string; readonly changedAtMs: number; readonly atMs: readonly number[] }[];
}

/** Readers in a process of their own. */
export class Readers {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(join(import.meta.dirname, 'readers-main.ts'), { execArgv: ['--conditions=source'] });
  }

  /** Opens `count` streams, spread over `urls`, each as a client of its own; resolves when all are open. */
  open(urls: readonly string[], count: number): Promise<Said> {
    return this.#tell({ kind: 'open', urls, count });
  }

  /** What they have seen. */
  seen(): Promise<Said> {
    return this.#tell({ kind: 'say' });
  }

  /** What they have seen; they begin anew. */
  forget(): Promise<Said> {
    return this.#tell({ kind: 'forget' });
  }

  /** Ends all streams. */
  leave(): Promise<Said> {
    return this.#tell({ kind: 'leave' });
  }

  close(): void {
    this.#child.kill();
  }

  #tell(order: Order): Promise<Said> {
    return new Promise((resolve) => {
      this.#child.once('message', (said) => resolve(said as Said));
      this.#child.send(order);
    });
  }
}
