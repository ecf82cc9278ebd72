import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ChildServer, startChild } from '../child-process.ts';
import { pathWith, type Registry } from './registry.ts';
import { runIn } from './run-in.ts';

/** The folder of a user who installs from the registry. It is outside the repository and uses a separate Node. */
export class Consumer {
  readonly folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #servers: ChildServer[] = [];

  constructor({ env }: Registry, nodeFolder: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'pulse-consumer-'));
    this.#env = { ...env, PATH: pathWith(nodeFolder) };
    this.write('package.json', JSON.stringify({ name: 'consumer', version: '1.0.0', private: true, type: 'module' }));
  }

  /** Writes a file and returns its path. */
  write(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Installs packages with npm, each as `name` or `name@version`. Without arguments, installs the packages in package.json. */
  async install(...packages: readonly string[]): Promise<void> {
    await this.run('npm', ['install', ...packages]);
  }

  /** Runs a command and resolves to its standard output. */
  run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    return runIn(this.folder, command, args, { env: { ...this.#env, ...env } });
  }

  /** Starts a server and waits until `url` returns 200. The server is stopped when the folder is removed. */
  async serve(
    command: string,
    args: readonly string[],
    url: string,
    env: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    // npx and its shell don't always forward signals.
    const options = { cwd: this.folder, env: { ...inherited, ...this.#env, ...env }, isGroup: true };
    this.#servers.push(await startChild({ title: command, command, args, readyUrl: url, ...options }));
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
