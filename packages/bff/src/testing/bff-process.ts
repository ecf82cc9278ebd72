import { spawn } from 'node:child_process';
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { startFakeService } from './fake-service.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

/** The exit code of a process. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a command in a separate process, as an operator would. */
export function runProcess(variables: Record<string, string>, command: readonly string[]) {
  const child = spawn(process.execPath, ['--conditions=source', MAIN, ...command], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => void (written.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (written.stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, ...written }));
  });
  return {
    child,
    /** Everything that the process has written so far, on both streams. */
    output: () => written.stdout + written.stderr,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs a command to its end. */
export function runToEnd(variables: Record<string, string>, command: readonly string[] = []): Promise<Ended> {
  return runProcess(variables, command).ended;
}

/** Starts a BFF on free ports. Resolves once it listens. */
export async function startBffProcess(variables: Record<string, string>) {
  const free = { PORT: '0', PULSE_ADMIN_PORT: '0', HOST: '127.0.0.1', PULSE_DRAIN_MS: '0' };
  const bff = runProcess({ ...free, ...variables }, []);
  const { port, adminPort } = await new Promise<{ port: number; adminPort: number }>((resolve, reject) => {
    bff.child.stdout.on('data', () => {
      const line = bff
        .output()
        .split('\n')
        .find((text) => text.includes('"msg":"listening"'));
      if (line !== undefined) resolve(JSON.parse(line));
    });
    void bff.ended.then(({ stderr }) => reject(new Error(`The BFF ended: ${stderr}`)));
  });
  return { ...bff, url: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${adminPort}` };
}

export type BffProcess = Awaited<ReturnType<typeof startBffProcess>>;

/** The key of the BFFs below. No response and no log line may contain it. */
export const KEY = 'canary-key-0123456789';

/** The variables of a BFF on free ports whose service doesn't exist. `fetch` itself would refuse ports 1 and 9. */
export const UNREACHABLE = {
  PULSE_API_KEY: KEY,
  PULSE_BASE_URL: 'http://127.0.0.1:2',
  PORT: '0',
  PULSE_ADMIN_PORT: '0',
};

/** Starts a BFF and the service behind it. */
export async function startBffAndService(variables: Record<string, string> = {}, answer?: RequestListener) {
  const service = await startFakeService(answer);
  const bff = await startBffProcess({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url, ...variables });
  return {
    ...bff,
    service,
    async [Symbol.asyncDispose]() {
      await bff[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
