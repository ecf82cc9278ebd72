import type { RequestListener, Server } from 'node:http';
import { isLoopbackHost } from '@pulse-card/contract';
import { openBff } from '../bff.ts';
import type { Config } from '../config.ts';
import { deferUntilReady, createHardenedServer, listenAt } from '../http/hardened-server.ts';
import { adminListener } from '../observability/admin-listener.ts';
import { errorSummary } from '../observability/log.ts';

/** The start of the default public URL. */
const LOCAL = 'http://localhost:';

/** Serves readers until the process is stopped. Resolves once it listens, rejects if it cannot start. */
export async function runServer(given: Config): Promise<void> {
  const [server, admin] = [createHardenedServer(), createHardenedServer()];
  const [serving, watching] = [Promise.withResolvers<RequestListener>(), Promise.withResolvers<RequestListener>()];
  server.on('request', deferUntilReady(serving.promise));
  admin.on('request', deferUntilReady(watching.promise));
  // The ports first: where one is taken, no call of the key is spent.
  const port = await listenAt(server, { port: given.port, host: given.host, variable: 'PORT' });
  const adminPort = await listenAt(admin, {
    port: given.adminPort,
    host: given.adminHost,
    variable: 'PULSE_ADMIN_PORT',
    hostVariable: 'PULSE_ADMIN_HOST',
  });
  const config = withPort(given, port);
  const bff = await openBff(config, { ownsProcess: true });
  watching.resolve(adminListener(bff, { isPrivateNetwork: !isLoopbackAddress(config.adminHost) }));
  serving.resolve(bff.app.handle);
  if (!isLoopbackAddress(config.adminHost)) bff.log.logger.warn(listeningLine(config.adminHost));
  const stop = (): Promise<void> => stopGracefully({ servers: [server, admin], ...bff });
  // Before the log says "listening": whoever reads that may stop the process at once.
  onStopSignal(stop);
  onFatalFault((fault) => {
    bff.log.logger.fatal({ fault: errorSummary(fault) }, 'Cannot go on: a fault inside');
    void stop().then(() => process.exit(1));
  });
  bff.log.logger.info({ port, adminPort, publicUrl: config.publicUrl }, 'listening');
}

function isLoopbackAddress(host: string): boolean {
  return host === '::1' || isLoopbackHost(host);
}

function listeningLine(adminHost: string): string {
  return `The private port listens on ${adminHost} (PULSE_ADMIN_HOST): whoever reaches it sees status and metrics`;
}

/** With `PORT=0` the public URL is known only now. */
function withPort(config: Config, port: number): Config {
  return config.publicUrl === `${LOCAL}0` ? { ...config, port, publicUrl: `${LOCAL}${port}` } : { ...config, port };
}

/** Runs `stop` at the first signal; the second ends the process at once. */
function onStopSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    void stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** Calls `received` with the first uncaught error; the state of the process is unknown then, and it must end. */
function onFatalFault(received: (fault: unknown) => void): void {
  process.once('uncaughtException', received);
  process.once('unhandledRejection', received);
}

/** In-flight answers get this long; then their connections are cut. */
const FINISH_WITHIN_MS = 8_000;

/** How long `/readyz` answers 503 before the port closes: load balancers check about once a second. */
const READINESS_NOTICE_MS = 1_500;

/** What a stop has to do with. */
export interface Stoppable {
  readonly servers: readonly Server[];
  /** `/readyz` fails from now on, and each response closes its connection. */
  readonly beginStop: () => void;
  /** Ends what works behind the servers. */
  readonly close: () => Promise<void>;
}

/** Stops in order: `/readyz` fails, a moment passes, new connections are refused, requests in flight are answered, the rest is closed. */
export async function stopGracefully({ servers, beginStop, close }: Stoppable): Promise<void> {
  beginStop();
  await after(READINESS_NOTICE_MS);
  const closed = Promise.all(servers.map(closeServer));
  for (const server of servers) server.closeIdleConnections();
  await Promise.race([closed, after(FINISH_WITHIN_MS - READINESS_NOTICE_MS)]);
  for (const server of servers) server.closeAllConnections();
  await closed;
  await close();
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
