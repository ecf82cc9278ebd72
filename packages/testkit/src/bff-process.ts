import { join } from 'node:path';
import { BENCH_KEY, type RecordingUpstream } from './service/recording-upstream.ts';
import { type ChildOptions, type ChildServer, startChild } from './child-process.ts';
import { freePorts } from '../../../scripts/free-port.ts';

const MAIN = join(import.meta.dirname, '../../bff/dist/main.js');

/** The BFF to start. It is the built BFF, configured only with environment variables. */
export interface BffOptions {
  readonly upstream: Pick<RecordingUpstream, 'urls'>;
  /** Variables in addition to the addresses, the key, and the ports. */
  readonly env?: Readonly<Record<string, string>>;
  /** The only core that it may run on. */
  readonly core?: number;
  /** Discards its log. @default false, which keeps the last lines */
  readonly isQuiet?: boolean;
}

/** The BFF as a process. It keeps its ports across restarts. */
export class BffProcess {
  readonly url: string;
  readonly adminUrl: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #placed: Pick<ChildOptions, 'core' | 'isQuiet'>;
  #child: ChildServer | undefined;

  private constructor(port: number, adminPort: number, { upstream, env = {}, core, isQuiet = false }: BffOptions) {
    this.url = `http://127.0.0.1:${port}`;
    this.adminUrl = `http://127.0.0.1:${adminPort}`;
    this.#placed = { isQuiet, ...(core === undefined ? {} : { core }) };
    const withKey = 'PULSE_API_KEY_FILE' in env ? {} : { PULSE_API_KEY: BENCH_KEY };
    this.#env = {
      NODE_ENV: 'production',
      PORT: String(port),
      PULSE_ADMIN_PORT: String(adminPort),
      HOST: '127.0.0.1',
      PULSE_BASE_URL: upstream.urls.A,
      PULSE_CLIENT_RATE: '0',
      PULSE_DRAIN_MS: '0',
      ...withKey,
      ...env,
    };
  }

  /** Starts it and waits until it listens. */
  static async start(options: BffOptions): Promise<BffProcess> {
    const [port, adminPort] = await freePorts(2);
    const bff = new BffProcess(port!, adminPort!, options);
    await bff.restart();
    return bff;
  }

  get pid(): number {
    return this.#child!.pid;
  }

  /** The exit code. Null while it runs, and if a signal ended it. */
  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  /** The last lines of its log. */
  get lastLines(): readonly string[] {
    return this.#child?.lastLines ?? [];
  }

  /** Starts it again after it was stopped or killed. */
  async restart({ untilItListens = true } = {}): Promise<void> {
    this.#child = await startChild({
      title: 'the BFF',
      args: [MAIN, 'serve'],
      env: this.#env,
      ...this.#placed,
      ...(untilItListens ? { readyUrl: `${this.url}/healthz` } : {}),
    });
  }

  /** Kills it without a chance to clean up. */
  async kill(): Promise<void> {
    await this.#child?.kill();
  }

  /** Stops it with the signal that the system would send. */
  async stop(): Promise<void> {
    await this.#child?.stop();
  }
}
