import type { RequestListener } from 'node:http';
import { isLoopbackHost } from '@pulse-card/contract';
import { openBff } from '../bff.ts';
import { processStartedMs } from '../clock.ts';
import type { Config } from '../config.ts';
import { deferUntilReady } from '../http/defer-until-ready.ts';
import { createHardenedServer, listenAt } from '../http/hardened-server.ts';
import { toRequestListener } from '../http/app.ts';
import { adminListener } from '../observability/admin-listener.ts';
import { errorSummary } from '../observability/log.ts';
import { stopGracefully } from './stop.ts';

/** What the address for readers begins with where nothing else is said. */
const LOCAL = 'http://localhost:';

/** Serves readers until the process is told to stop; resolves once it serves, rejects where it can't begin. */
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
  const bff = await openBff(config, { startedAt: processStartedMs, ownsProcess: true });
  watching.resolve(adminListener(bff, { isPrivateNetwork: !isLoopbackAddress(config.adminHost) }));
  serving.resolve(toRequestListener(bff.app));
  if (!isLoopbackAddress(config.adminHost)) bff.log.logger.warn(listeningLine(config.adminHost));
  bff.log.logger.info({ port, adminPort, publicUrl: config.publicUrl }, 'listening');
  const stop = (): Promise<void> => stopGracefully({ servers: [server, admin], ...bff });
  onStopSignal(stop);
  onFatalFault((fault) => {
    bff.log.logger.fatal({ fault: errorSummary(fault) }, 'Cannot go on: a fault inside');
    void stop().then(() => process.exit(1));
  });
}

function isLoopbackAddress(host: string): boolean {
  return host === '::1' || isLoopbackHost(host);
}

function listeningLine(adminHost: string): string {
  return `The private port listens on ${adminHost} (PULSE_ADMIN_HOST): whoever reaches it sees status and metrics`;
}

/** Where any free port was asked for, the address for readers is known only now. */
function withPort(config: Config, port: number): Config {
  return config.publicUrl === `${LOCAL}0` ? { ...config, port, publicUrl: `${LOCAL}${port}` } : { ...config, port };
}

/** Runs `stop` at the first signal; the second ends the process at once. */
function onStopSignal(stop: () => Promise<void>): void {
  let isLogged = false;
  const logged = (): void => {
    if (isLogged) process.exit(1);
    isLogged = true;
    void stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', logged);
  process.on('SIGINT', logged);
}

/** What nobody caught leaves the process in a state that nobody knows: it is said, readers in flight are answered, and it ends. */
function onFatalFault(received: (fault: unknown) => void): void {
  process.once('uncaughtException', received);
  process.once('unhandledRejection', received);
}
