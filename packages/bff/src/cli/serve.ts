import type { RequestListener } from 'node:http';
import { placeOf } from '../lib/ip-address.ts';
import { openBff } from '../bff.ts';
import type { Config } from '../config/config.ts';
import { HardenedServer } from '../http/server.ts';
import { errorSummary } from '../observability/log.ts';
import { adminListener } from '../features/private-port/admin-listener.ts';
import type { PrivatePortSettings } from '../features/private-port/private-port.ts';
import { deferUntilReady, stopGracefully } from './graceful-stop.ts';

/** The start of the default public URL. */
const LOCAL = 'http://localhost:';

/** Serves readers until the process is stopped. Resolves once the BFF listens. Rejects if it can't start. */
export async function runServer(given: Config): Promise<void> {
  const settings = given.featureSettings as PrivatePortSettings;
  const [server, admin] = [new HardenedServer(), new HardenedServer()];
  const [serving, watching] = [Promise.withResolvers<RequestListener>(), Promise.withResolvers<RequestListener>()];
  server.answerWith(deferUntilReady(serving.promise));
  admin.answerWith(deferUntilReady(watching.promise));
  // The ports are opened first. If a port is taken, the server stops before it has made a call with the key.
  const port = await server.listenAt({ port: given.port, host: given.host, variable: 'PORT' });
  const adminPort = await admin.listenAt({
    port: settings.PULSE_ADMIN_PORT,
    host: settings.PULSE_ADMIN_HOST,
    variable: 'PULSE_ADMIN_PORT',
    hostVariable: 'PULSE_ADMIN_HOST',
  });
  const config = withPort(given, port);
  const bff = await openBff(config, { ownsProcess: true });
  watching.resolve(adminListener({ settings, documents: bff.documents, pages: bff.operatorPages }));
  serving.resolve(bff.app.handle);
  const { PULSE_ADMIN_HOST: adminHost } = settings;
  if (placeOf(adminHost) !== 'loopback') bff.log.logger.warn(listeningLine(adminHost));
  const stop = (drainMs: number): Promise<void> => stopGracefully({ servers: [server, admin], drainMs, ...bff });
  // The log may say "listening" only after this, because a program that reads that line may stop the process
  // immediately.
  onStopSignal(() => stop(config.drainMs));
  onFatalFault((fault) => {
    bff.log.logger.fatal({ fault: errorSummary(fault) }, 'Cannot continue: internal error');
    void stop(0).then(() => process.exit(1));
  });
  bff.log.logger.info({ port, adminPort, publicUrl: config.publicUrl }, 'listening');
}

function listeningLine(adminHost: string): string {
  return `The private port listens on ${adminHost} (PULSE_ADMIN_HOST): anyone who can reach this address sees status and metrics`;
}

/** With `PORT=0`, the public URL is known only after the port is open. */
function withPort(config: Config, port: number): Config {
  return config.publicUrl === `${LOCAL}0` ? { ...config, port, publicUrl: `${LOCAL}${port}` } : { ...config, port };
}

/** Calls `stop` at the first signal. A second signal ends the process immediately. */
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

/**
 * Calls `received` with the first uncaught error. After such an error, the state of the process is unknown, and the
 * process must end.
 */
function onFatalFault(received: (fault: unknown) => void): void {
  process.once('uncaughtException', received);
  process.once('unhandledRejection', received);
}
