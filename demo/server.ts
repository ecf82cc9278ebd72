import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, preview, type PreviewServer } from 'vite';
import { demoConfig } from './vite.config.ts';

/** Where the demo is served, and for which BFF. */
export interface StartDemoOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** The BFF's address as the reader's browser sees it. */
  readonly bffUrl: string;
}

/** A demo that is being served. */
export interface RunningDemo {
  readonly url: string;
  close(): Promise<void>;
}

/** Builds the pages for a BFF and serves them; each call has a folder of its own, so that many can run at once. */
export async function startDemo({ port, bffUrl }: StartDemoOptions): Promise<RunningDemo> {
  const outDir = await mkdtemp(join(tmpdir(), 'pulse-demo-'));
  const remove = () => rmSync(outDir, { recursive: true, force: true });
  // Vite ends the process by itself on SIGTERM.
  process.once('exit', remove);
  const config = demoConfig(bffUrl.replace(/\/+$/, ''));
  const built = { ...config, build: { ...config.build, outDir, emptyOutDir: true } };
  try {
    await build(built);
    const server = await preview({ ...built, preview: { port, strictPort: true, host: 'localhost' } });
    return runningDemo(server, remove);
  } catch (error) {
    remove();
    throw isTaken(error) ? new Error(`Cannot serve the demo: port ${port} is taken; set DEMO_PORT to another`) : error;
  }
}

function runningDemo(server: PreviewServer, remove: () => void): RunningDemo {
  const { port } = server.httpServer.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    async close() {
      await server.close();
      remove();
      process.off('exit', remove);
    },
  };
}

/** Vite's own error for a taken port has no code, only words. */
function isTaken(error: unknown): boolean {
  return (
    error instanceof Error && (/already in use/.test(error.message) || ('code' in error && error.code === 'EADDRINUSE'))
  );
}
