import { readServeConfig } from '../config.ts';
import { serviceLog } from '../service-log.ts';
import { startService } from '../start-service.ts';

/** Serves until told to stop; the second signal does not wait. */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const config = readServeConfig(env);
  const log = serviceLog(config.logLevel);
  const service = await startService(config, { log });
  // Awaited before it is told: who reads that it listens may stop it at once.
  const stop = firstSignal();
  log.info({ url: service.url, altUrl: service.altUrl }, 'listening');
  const signal = await stop;
  log.info({ signal }, 'stopping');
  void firstSignal().then(() => process.exit(1));
  await service.close();
  log.info('stopped');
  process.exit(0);
}

function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}
