import { join } from 'node:path';
import { SERVICE_KEY, type FakeServiceRemote } from './service/fake-service.ts';
import { type ChildOptions, type ChildServer, type Ended, runChild, startChild } from './child-process.ts';
import { freePorts } from './free-port.ts';

const BFF = join(import.meta.dirname, '../../bff');
const MAINS = { built: [join(BFF, 'dist/main.js')], source: ['--conditions=source', join(BFF, 'src/main.ts')] };

/** Whether to run the built BFF or its source. */
type From = keyof typeof MAINS;

/** The BFF to start. It is configured only with environment variables. */
export interface BffOptions {
  readonly upstream: Pick<FakeServiceRemote, 'urls'>;
  /** @default built */
  readonly from?: From;
  /** Variables in addition to the URLs, the key, and the ports. */
  readonly env?: Readonly<Record<string, string>>;
  /** The CPU core to run it on. */
  readonly core?: number;
  /** Whether to discard its log. @default false, which keeps the last lines */
  readonly isQuiet?: boolean;
  /** How many of its last log lines to keep. @default 60 */
  readonly maxLines?: number;
}

/** Runs a BFF command with only these variables and waits until it exits. */
export function runBff(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { from = 'source', cwd, input = '' }: { readonly from?: From; readonly cwd?: string; readonly input?: string } = {},
): Promise<Ended> {
  return runChild(
    { args: [...MAINS[from], ...words], env: { NODE_ENV: 'production', ...env }, ...(cwd && { cwd }) },
    input,
  );
}

/** The BFF as a process. Its ports stay the same across restarts. */
export class BffProcess implements AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  /** Its variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly #how: Pick<ChildOptions, 'args' | 'core' | 'isQuiet' | 'maxLines'>;
  #child: ChildServer | undefined;

  private constructor(port: number, adminPort: number, options: BffOptions) {
    const { upstream, env = {}, from = 'built', core, isQuiet = false, maxLines } = options;
    this.url = `http://127.0.0.1:${port}`;
    this.adminUrl = `http://127.0.0.1:${adminPort}`;
    const optional = { ...(core === undefined ? {} : { core }), ...(maxLines === undefined ? {} : { maxLines }) };
    this.#how = { args: [...MAINS[from], 'serve'], isQuiet, ...optional };
    const withKey = 'PULSE_API_KEY_FILE' in env ? {} : { PULSE_API_KEY: SERVICE_KEY };
    this.env = {
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

  /** Starts it and waits until it is listening. */
  static async start(options: BffOptions): Promise<BffProcess> {
    const [port, adminPort] = await freePorts(2);
    const bff = new BffProcess(port!, adminPort!, options);
    await bff.restart();
    return bff;
  }

  get pid(): number {
    return this.#child!.pid;
  }

  /** The exit code. Null if it is still running or a signal killed it. */
  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  /** The exit code, once it has exited. */
  get ended(): Promise<number | null> {
    return this.#child!.ended;
  }

  /** The last lines of its log. */
  get lastLines(): readonly string[] {
    return this.#child?.lastLines ?? [];
  }

  /** Restarts it after it was stopped or killed, optionally with different variables. */
  async restart({ untilItListens = true, env = {} } = {}): Promise<void> {
    this.#child = await startChild({
      title: 'the BFF',
      env: { ...this.env, ...env },
      ...this.#how,
      ...(untilItListens ? { readyUrl: `${this.url}/healthz` } : {}),
    });
  }

  /** Sends it a signal. */
  signal(name: NodeJS.Signals): void {
    this.#child?.signal(name);
  }

  /** Kills it immediately, with no chance to clean up. */
  async kill(): Promise<void> {
    await this.#child?.kill();
  }

  /** Stops it with the signal that the system would send. */
  async stop(): Promise<void> {
    await this.#child?.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
