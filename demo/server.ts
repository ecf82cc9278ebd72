import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express, { type Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

/**
 * `localhost` resolves to two IP addresses. Node gives up on each one after 250 ms, which is too soon on a busy
 * machine.
 */
const PATIENT = new Agent({ autoSelectFamilyAttemptTimeout: 5_000 });

/** The documentation, which the Studio links to until the project has a URL. Browsers show its Markdown as text. */
const DOCS = join(import.meta.dirname, '../docs');

/** The demo's port and BFF. */
export interface StartDemoOptions {
  /** 0 picks any free port. */
  readonly port: number;
  /** The URL of the BFF's admin port, which serves the Studio. */
  readonly adminUrl: string;
  /**
   * The command that started the BFF and this demo. If a setting has to change, the Studio shows this command with the
   * new value. @default 'npm start'
   */
  readonly startCommand?: string | undefined;
}

/** A running demo. */
export interface RunningDemo {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the Studio of a BFF on another port. The `Host` header is forwarded unchanged, so that the BFF's own checks
 * apply. They reject foreign hostnames and POST requests from pages on other origins.
 */
export async function startDemo({
  port,
  adminUrl,
  startCommand = 'npm start',
}: StartDemoOptions): Promise<RunningDemo> {
  const app = express().disable('x-powered-by');
  app.get('/', (_request, response) => response.redirect(302, '/studio/'));
  app.use('/docs', express.static(DOCS, { setHeaders: showMarkdown }));
  const proxy = createProxyMiddleware({
    target: adminUrl,
    pathFilter: '/studio',
    changeOrigin: false,
    agent: PATIENT,
    on: { proxyRes: ({ headers }) => void (headers['x-pulse-start-command'] = encodeURIComponent(startCommand)) },
  });
  app.use(proxy);
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(isTaken(error) ? takenError(port) : error));
    server.listen(port, 'localhost', resolve);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function showMarkdown(response: Response, path: string): void {
  if (path.endsWith('.md')) response.type('text');
}

function isTaken(error: Error): boolean {
  return 'code' in error && error.code === 'EADDRINUSE';
}

function takenError(port: number): Error {
  return new Error(`Can’t serve the demo: port ${port} is in use; set PULSE_DEMO_PORT to a different port`);
}
