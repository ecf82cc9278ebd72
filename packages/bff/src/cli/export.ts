import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '@pulse-card/contract';
import inject from 'light-my-request';
import { type Bff, openBff } from '../bff.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { staticFrames } from '../features/embed/frame-page.ts';
import { type Ask, exportPulses, idsToKnow } from '../features/export/export-pulses.ts';
import { StaticFolder } from '../features/export/static-folder.ts';
import { MAX_TIMER_MS } from '../lib/clock.ts';
import { EXIT, print, type Shell } from './output.ts';
import { onSignals } from './signals.ts';

/** How long a request can wait for the budget, in rate-limit windows. */
const MAX_WAIT_WINDOWS = 3;

/**
 * Opens a BFF and exports its responses to `dir`, with charts if `images` is true or the BFF serves them. Throws if the
 * export can't start.
 */
export async function exportFiles(shell: Shell, dir: string, images = false): Promise<void> {
  const config = readConfig(shell.env);
  print(shell.stderr, ...config.warnings);
  const withImages = images || config.images === 'proxy';
  const faults = faultsOf(config, withImages);
  if (faults.length > 0) throw new ConfigError(faults);
  const say = (line: string) => print(shell.stdout, line);
  const ended = new AbortController();
  onSignals({ stop: () => ended.abort(new Error(STOPPED)) });
  const folder = new StaticFolder(dir);
  // The budget's own timers don't keep the process alive.
  const staysAwake = setInterval(() => {}, MAX_TIMER_MS);
  let bff: Bff | undefined;
  try {
    bff = await openBff(exportConfig(config, { withImages, ids: idsToKnow(config.sources, folder) }));
    const { config: used, widget } = bff;
    const ask = askOf(bff, { maxWaitMs: MAX_WAIT_WINDOWS * config.rateWindowMs, signal: ended.signal });
    const frames = staticFrames({ publicUrl: config.publicUrl, scriptHash: widget?.hash }, config.allowedOrigins);
    const result = await exportPulses({ ask, folder, say, config: used, widget, frames });
    say(summaryOf(result, dir));
    shell.exitCode = result.pulses !== undefined && result.faults.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    bff?.beginStop();
    await bff?.close();
    clearInterval(staysAwake);
    folder.close();
  }
}

const STOPPED = 'The export was stopped. The files that it has written are complete, and the others are unchanged';

/** Anyone who knows an exported file's URL can read the file. Charts are fetched only from PULSE_IMAGE_HOSTS. */
function faultsOf({ access, imageHosts, hasPublicUrl }: Config, withImages: boolean): string[] {
  const rules = [
    [access !== 'token', 'PULSE_ACCESS: must be public for an export, because anyone can read exported files'],
    [!withImages || imageHosts.length > 0, 'PULSE_IMAGE_HOSTS: is required when charts are exported'],
    [!withImages || hasPublicUrl, 'PULSE_PUBLIC_URL: is required when charts are exported'],
  ] as const;
  return rules.flatMap(([isKept, fault]) => (isKept ? [] : [fault]));
}

/** An export doesn't use a state folder, send alerts, or write a log. */
function exportConfig(config: Config, { withImages, ids }: { withImages: boolean; ids: string[] }): Config {
  const images = withImages ? 'proxy' : 'direct';
  const unused = { stateDir: undefined, alertUrl: undefined, alertUrlFile: undefined, warnings: [] };
  return { ...config, ...unused, sources: { ...config.sources, ids }, images, logLevel: 'silent' };
}

/** `maxWaitMs`: how long to wait in total for a path if the budget doesn't allow its call yet. */
type AskOptions = Readonly<{ maxWaitMs: number; signal: AbortSignal }>;

const STUDIO = { host: 'localhost', 'x-pulse-studio': '1' };

/** Requests paths in-process, as the Studio does. */
export function askOf({ admin }: Pick<Bff, 'admin'>, { maxWaitMs, signal }: AskOptions): Ask {
  return async (path) => {
    for (let leftMs = maxWaitMs; ;) {
      signal.throwIfAborted();
      const url = `/studio/api/bff${path}`;
      const { statusCode, rawPayload, headers } = await inject(admin, { url, headers: STUDIO });
      if (statusCode === 200) return { ok: true, body: rawPayload };
      const { error, code } = JSON.parse(rawPayload.toString()) as { error: string; code: ErrorCode };
      const waitMs = Number(headers['retry-after'] ?? 1) * 1_000;
      if (code !== 'upstream_rate_limited' || leftMs <= 0) return { ok: false, error, code };
      leftMs -= waitMs;
      await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  };
}

function summaryOf({ pulses, faults }: Awaited<ReturnType<typeof exportPulses>>, dir: string): string {
  if (pulses === undefined) return `Nothing was written: ${dir} is unchanged`;
  return `${pulses} ${pulses === 1 ? 'pulse' : 'pulses'} in ${dir}${faults.length > 0 ? ', not all of them new' : ''}`;
}
