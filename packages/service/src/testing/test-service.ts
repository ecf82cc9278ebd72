import type { PulseBody, SourcesBody } from '@pulse-card/contract';
import type { DatabaseConfig } from '../config.ts';
import { readServeConfig } from '../config.ts';
import { type Database, openDatabase } from '../sql/database.ts';
import { createKey, type CreateKeyOptions } from '../keys/key-store.ts';
import { createLog } from '../log.ts';
import { type RunningService, startService } from '../service.ts';
import { type Answer, readAnswer } from './check-answer.ts';
import { anAccount, documentOf, importInto, type Lists } from './documents.ts';
import { TestClock } from './test-clock.ts';

/** The options for a test request. */
export interface AskOptions {
  key?: string;
  method?: string;
  headers?: Record<string, string>;
  /** Whether to send the request to the second host. */
  alt?: boolean;
}

/**
 * A service on free ports with its own database connection, a clock that the test advances, and a log that the test can
 * read.
 */
export class TestService {
  readonly clock: TestClock;
  readonly log: string[];
  readonly db: Database;
  readonly #running: RunningService;
  static #accounts = 0;

  private constructor(parts: { clock: TestClock; log: string[]; db: Database; running: RunningService }) {
    this.clock = parts.clock;
    this.log = parts.log;
    this.db = parts.db;
    this.#running = parts.running;
  }

  /** Starts a service on `database`. `env`: additional variables. */
  static async start(database: DatabaseConfig, env: Record<string, string> = {}, clock = new TestClock()) {
    const log: string[] = [];
    const config = { ...readServeConfig({ HOST: '127.0.0.1', PORT: '0', ALT_PORT: '0', ...env }), ...database };
    const running = await startService(config, {
      clock,
      log: createLog('info', { write: (line) => void log.push(line) }),
    });
    const { db } = await openDatabase(database);
    return new TestService({ clock, log, db, running });
  }

  get url(): string {
    return this.#running.url;
  }

  get altUrl(): string {
    return this.#running.altUrl;
  }

  /**
   * Sends a request over HTTP, as a client on another machine does, and checks what the API guarantees for every
   * response.
   */
  async ask(path: string, { key, method = 'GET', headers = {}, alt = false }: AskOptions = {}): Promise<Answer> {
    const all = key === undefined ? headers : { ...headers, 'X-API-Key': key };
    const response = await fetch((alt ? this.altUrl : this.url) + path, { method, headers: all, redirect: 'manual' });
    return readAnswer(method, path, response);
  }

  /** Imports a new account with the lists that `lists` returns for its ID. Returns a key for the account. */
  async account(lists: (accountId: string) => Lists = () => ({}), files: Record<string, Buffer> = {}) {
    TestService.#accounts += 1;
    const id = `acc${TestService.#accounts}`;
    await importInto(this.db, documentOf({ ...anAccount(id), ...lists(id) }), files);
    return { id, key: await this.key(id) };
  }

  /** Creates a new key for an account. */
  async key(accountId: string, options: CreateKeyOptions = {}): Promise<string> {
    const { text } = await createKey(this.db, accountId, { clock: this.clock, ...options });
    return text;
  }

  /** The sources that `key` is allowed to see. */
  async sources(key: string): Promise<SourcesBody['sources']> {
    return ((await this.ask('/v1/sources', { key })).json as SourcesBody).sources;
  }

  /** The pulse that `key` gets, or the rejection's status. */
  async pulse(key: string, sourceId: string): Promise<PulseBody['pulse'] | number> {
    const { status, json } = await this.ask(`/v1/sources/${sourceId}/pulse`, { key });
    return status === 200 ? (json as PulseBody).pulse : status;
  }

  async close(): Promise<void> {
    await this.#running.close();
    await this.db.destroy();
  }
}
