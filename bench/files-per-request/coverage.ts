import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Coverage of one function, as the inspector reports it. */
interface FunctionCoverage {
  readonly ranges: readonly { readonly count: number }[];
}

/** Coverage of one file, as the inspector reports it (`Profiler.ScriptCoverage`). */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly FunctionCoverage[];
}

/**
 * The files in which a function ran, as sorted paths relative to `root`. `root` is a `file:` address that ends in a
 * slash.
 */
export function executedFiles(coverage: readonly ScriptCoverage[], root: string): string[] {
  return coverage
    .filter(({ url, functions }) => url.startsWith(root) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => url.slice(root.length))
    .toSorted();
}

/**
 * The imports between these files that lead to a different folder, except type imports. `root` is the folder of all
 * files.
 */
export function crossings(files: readonly string[], root: string): string[] {
  const executed = new Set(files);
  return files.flatMap((file) =>
    [...new Set(valueImports(readFileSync(join(root, file), 'utf8')))]
      .map((specifier) => join(dirname(file), specifier))
      .filter((imported) => executed.has(imported) && dirname(imported) !== dirname(file))
      .map((imported) => `${file} → ${imported}`),
  );
}

/** The relative paths in a source file's imports, except type imports. */
function valueImports(source: string): string[] {
  const found = source.matchAll(/^(?:im|ex)port (?!type )(?<names>[^;]*?) from '(?<specifier>\.[^']+)';$/gm);
  return [...found].flatMap(({ groups: { names = '', specifier = '' } = {} }) =>
    /^\{(?:\s*type \w+,?)+\s*\}$/.test(names) ? [] : specifier,
  );
}

/** Reads the precise coverage of another process through its inspector. */
export class CoverageSession {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #sent = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (id !== undefined) this.#waiting.get(id)?.(result);
    });
  }

  /** Connects to the `ws:` address that Node prints with `--inspect`, and starts counting. */
  static async open(url: string): Promise<CoverageSession> {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    const session = new CoverageSession(socket);
    await session.#send('Profiler.enable');
    await session.#send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return session;
  }

  /** The coverage since the last call. */
  async take(): Promise<readonly ScriptCoverage[]> {
    const { result } = (await this.#send('Profiler.takePreciseCoverage')) as { result: readonly ScriptCoverage[] };
    return result;
  }

  #send(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    this.#sent += 1;
    const id = this.#sent;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
