import { resolve } from 'node:path';
import { OriginPolicy } from '../auth/origin-policy.ts';
import { processStartedMs, systemClock } from '../clock.ts';
import { type Config, withoutSecrets } from '../config.ts';
import type { FrameServer } from '../embed/frame-page.ts';
import { createImageProxy } from '../http/image-proxy.ts';
import { readWidgetFiles, type WidgetFiles, widgetScriptPath } from '../http/widget-files.ts';
import { openCallBudget, openCluster, openUpstream, prepareStateDir } from '../core.ts';
import type { KeyRing } from '../upstream/key-ring.ts';
import { createExportFetcher } from './export-fetcher.ts';
import { chartFetcher } from './static-files.ts';
import { exportPulses } from './export-pulses.ts';
import { StaticFolder } from './static-folder.ts';

/** Longer than any export: the timers of the budget do not keep the process alive. */
const FOREVER_MS = 2 ** 31 - 1;

/** What ends an export before its time. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How an export is run. */
export interface RunExportOptions {
  readonly key: KeyRing;
  /** Charts are written, too. */
  readonly withImages: boolean;
  /** Pages for frames are written, too: the address of the folder is known. */
  readonly withFrames: boolean;
  readonly output: Output;
}

/** Exports to `dir`; resolves to whether all of it is new. Throws where it can't begin. */
export async function runExport(
  config: Config,
  dir: string,
  { key, withImages, withFrames, output }: RunExportOptions,
): Promise<boolean> {
  const progress = createProgress(output);
  const ended = new AbortController();
  const stop = (): void =>
    ended.abort(new Error('The export was stopped: what it has written is whole, the rest is as it was'));
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  const warn = (message: string): void => progress.print(message);
  const folder = await StaticFolder.open(resolve(dir));
  const staysAwake = setInterval(() => {}, FOREVER_MS);
  const appConfig = withoutSecrets(config);
  const parts = { clock: systemClock, warn, startedAt: processStartedMs };
  let cluster: Awaited<ReturnType<typeof openCluster>>;
  try {
    if (config.stateDir !== undefined) prepareStateDir(config.stateDir);
    cluster = await openCluster(config, { ...parts, key });
    const exportFetcher = createExportFetcher({
      upstream: openUpstream(config, key),
      callBudget: cluster?.callBudget ?? openCallBudget(appConfig, parts),
      clock: systemClock,
      hasAltHost: config.altBaseUrl !== undefined,
      upstreamTimeoutMs: config.upstreamTimeoutMs,
      windowMs: config.rateWindowMs,
      freshForMs: config.freshForMs,
      shared: cluster?.shared,
      signal: ended.signal,
    });
    const widget = readWidgetFiles(widgetScriptPath());
    const { pulses, faults } = await exportPulses({
      exportFetcher,
      folder,
      progress,
      rule: config.sources,
      expose: config.expose,
      allowedOrigins: config.allowedOrigins,
      widget,
      frames: withFrames ? frameServerOf(config, widget) : undefined,
      chartOf: withImages ? chartFetcher(createImageProxy(), appConfig) : undefined,
      wallNow: () => systemClock.wallNow(),
    });
    progress.print(summaryOf(pulses, dir, faults));
    return faults.length === 0;
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
    clearInterval(staysAwake);
    ended.abort();
    cluster?.close();
    folder.close();
  }
}

function frameServerOf({ publicUrl, allowedOrigins }: Config, widget: WidgetFiles | undefined): FrameServer {
  const { own } = new OriginPolicy(allowedOrigins, publicUrl);
  return { publicUrl, allowedOrigins, ownOrigins: own, scriptHash: widget?.hash };
}

function summaryOf(pulses: number | undefined, dir: string, faults: readonly string[]): string {
  if (pulses === undefined) return `Nothing was written: ${dir} is as it was`;
  return `${pulses} ${pulses === 1 ? 'pulse' : 'pulses'} in ${dir}${faults.length > 0 ? ', not all of them new' : ''}`;
}

/** Where progress is written. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Shows the progress of a long command. */
export interface Progress {
  /** Shows that `done` of `all` are done; on a terminal in one line that is overwritten. */
  at(done: number, all: number, what: string): void;
  /** A line that stays. */
  print(line: string): void;
}

const CLEAR_LINE = '\r\u001B[K';

/** Shows progress in one line on a terminal, elsewhere in plain lines. */
export function createProgress(output: Output): Progress {
  const isTerminal = output.isTTY === true;
  return {
    at(done, all, what) {
      const text = `[${done}/${all}] ${what}`;
      output.write(isTerminal ? `${CLEAR_LINE}${text}` : `${text}\n`);
    },
    print: (line) => void output.write(isTerminal ? `${CLEAR_LINE}${line}\n` : `${line}\n`),
  };
}
