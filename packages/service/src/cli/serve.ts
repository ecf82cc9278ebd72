import { readServeConfig, unknownVariableWarnings } from '../config.ts';
import { createLog } from '../log.ts';
import { startService } from '../service.ts';

/** Serves until a signal stops it; after a second signal, the process exits immediately. */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const config = readServeConfig(env);
  const log = createLog(config.logLevel);
  for (const warning of unknownVariableWarnings(env)) log.warn(warning);
  const service = await startService(config, { log });
  // Signals are handled before the log shows "listening": a program that reads this line may stop the server
  // immediately.
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
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, resolve);
  });
}
