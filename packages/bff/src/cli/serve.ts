import type { Server } from 'node:http';
import { type Bff, openBff } from '../bff.ts';
import type { Config } from '../config.ts';
import { createHttpServer, finish, listen } from '../http/server.ts';
import { placeOf } from '../lib/ip-address.ts';
import { errorSummary } from '../lib/log.ts';
import { onSignals } from './signals.ts';

/** The beginning of the default public URL. */
const LOCAL = 'http://localhost:';

/** How long in-flight requests may take after the drain, in ms. */
const FINISH_WITHIN_MS = 2_500;

/** The time limit for stopping, in ms after the drain. With the default drain of 5 s, stopping takes less than 10 s. */
const END_AFTER_MS = 4_500;

/** Serves readers until the process is stopped. Resolves once the BFF listens. Rejects if it can't start. */
export async function serve(given: Config): Promise<void> {
  // Until the BFF is open, there is nothing to drain.
  onSignals({ stop: () => process.exit(0), reload: () => {} });
  // Signals that arrived while modules were loading are handled now.
  await new Promise((resolve) => void setImmediate(resolve));
  const opening = Promise.withResolvers<Bff>();
  // Requests wait until the BFF is open.
  const server = createHttpServer((req, res) => void opening.promise.then(({ app }) => app(req, res)));
  const admin = createHttpServer((req, res) => void opening.promise.then((bff) => bff.admin(req, res)));
  // Opens the ports first: if a port is in use, the server exits before it makes a call with the key.
  const { adminHost } = given;
  const port = await listen(server, given.port, given.host, 'PORT, HOST');
  const adminPort = await listen(admin, given.adminPort, adminHost, 'PULSE_ADMIN_PORT, PULSE_ADMIN_HOST');
  const config = { ...given, port, publicUrl: given.publicUrl === `${LOCAL}0` ? `${LOCAL}${port}` : given.publicUrl };
  const bff = await openBff(config, { ownsProcess: true });
  opening.resolve(bff);
  const { log } = bff;
  if (placeOf(adminHost) !== 'loopback')
    log.warn(
      `The admin port listens on ${adminHost} (PULSE_ADMIN_HOST): anyone who can reach this IP address can see the status and metrics`,
    );
  const stop = stopOnce(bff, [server, admin]);
  // The log must not say "listening" before this, because a program that reads that line might stop the process
  // immediately.
  onSignals({ stop: () => void stop(config.drainMs, 0), reload: () => void reload(bff) });
  const onFault = (fault: unknown): void => {
    log.logger.fatal({ fault: errorSummary(fault) }, 'Can’t continue: internal error');
    void stop(0, 1);
  };
  // After such an error, the process is in an unknown state, so it must exit. An unhandled rejection is one, too.
  process.once('uncaughtException', onFault);
  log.info('listening', { port, adminPort, publicUrl: config.publicUrl });
}

async function reload({ log, reload: readFiles }: Bff): Promise<void> {
  await readFiles().catch((fault: unknown) => log.fault(fault, 'Can’t reread the files'));
  log.info('The key, token, and withheld files were reread (SIGHUP)');
}

/**
 * Stops in this order: `/readyz` fails; during the drain, the server still responds to requests so that load balancers
 * can switch to other instances; then new connections are rejected and in-flight requests are completed; then
 * everything else ends. A second call ends the process immediately.
 */
function stopOnce(bff: Bff, servers: readonly Server[]): (drainMs: number, exitCode: number) => Promise<void> {
  let isStopping = false;
  return async (drainMs, exitCode) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(() => process.exit(exitCode), drainMs + END_AFTER_MS);
    try {
      bff.beginStop();
      await new Promise((resolve) => void setTimeout(resolve, drainMs));
      await Promise.all(servers.map((server) => finish(server, FINISH_WITHIN_MS)));
      await bff.close();
    } finally {
      process.exit(exitCode);
    }
  };
}
