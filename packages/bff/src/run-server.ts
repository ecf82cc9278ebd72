import type { RequestListener, Server } from 'node:http';
import express from 'express';
import type { App } from './app.ts';
import { openBff } from './bff.ts';
import type { Config } from './config.ts';
import { createHardServer, listenAt } from './http/hard-server.ts';
import { stopGracefully } from './stop.ts';

/** What the address for readers begins with where nothing else is said. */
const LOCAL = 'http://localhost:';

/** Serves readers until the process is told to stop; resolves once it serves, rejects where it can't begin. */
export async function runServer(given: Config): Promise<void> {
  const server = createHardServer();
  // The port first: where it is taken, no call of the key is spent.
  const port = await listenAt(server, { port: given.port, host: given.host, variable: 'PORT' });
  const config = withPort(given, port);
  const bff = await openBff(config);
  server.on('request', listenerOf(bff.app));
  bff.log.logger.info({ port, publicUrl: config.publicUrl }, 'listening');
  const servers: Server[] = [server];
  onceToldToStop(() => stopGracefully({ servers, ...bff }));
}

/** Where any free port was asked for, the address for readers is known only now. */
function withPort(config: Config, port: number): Config {
  return config.publicUrl === `${LOCAL}0` ? { ...config, port, publicUrl: `${LOCAL}${port}` } : { ...config, port };
}

/** The front first; Express for what it passes on. */
function listenerOf({ front, routes }: App): RequestListener {
  const rest = express().disable('x-powered-by').use(routes);
  return (request, response) => front(request, response, () => rest(request, response));
}

/** Runs `stop` at the first signal; the second ends the process at once. */
function onceToldToStop(stop: () => Promise<void>): void {
  let isTold = false;
  const told = (): void => {
    if (isTold) process.exit(1);
    isTold = true;
    void stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', told);
  process.on('SIGINT', told);
}
