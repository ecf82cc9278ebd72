import { resolve } from 'node:path';
import { openBff } from '../bff.ts';
import type { Config } from '../config/config.ts';
import { staticFrames } from '../features/embed/static-frames.ts';
import { exportPulses, idsToKnow, type Progress } from '../features/export/export-pulses.ts';
import { handlerClient } from '../features/export/handler-client.ts';
import { StaticFolder } from '../features/export/static-folder.ts';
import type { VariableName } from '../features.ts';
import { readWidgetFiles, widgetScriptPath } from '../features/files/read-widget-files.ts';

/** An export doesn't use a state folder or send alerts. */
const UNUSED = {
  PULSE_STATE_DIR: undefined,
  PULSE_ALERT_URL: undefined,
  PULSE_ALERT_URL_FILE: undefined,
} satisfies Partial<Record<VariableName, undefined>>;

/** The maximum time that a call waits for the budget, in rate-limit windows. */
const MAX_WAIT_WINDOWS = 3;

/** A timer that keeps the process alive, because the budget's own timers don't do so. */
const FOREVER_MS = 2 ** 31 - 1;

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The options of an export. */
export interface ExportCommandOptions {
  /** Whether charts are also written. */
  readonly withImages: boolean;
  /** Whether pages for frames are also written, which is possible if the folder's public address is known. */
  readonly withFrames: boolean;
  readonly output: Output;
}

/**
 * Exports the answers from a separate BFF to `dir`. Resolves with whether all answers are new. Throws if the export
 * can't start.
 */
export async function exportTo(
  config: Config,
  dir: string,
  { withImages, withFrames, output }: ExportCommandOptions,
): Promise<boolean> {
  const progress = createProgress(output);
  const ended = new AbortController();
  const stop = (): void =>
    ended.abort(
      new Error('The export was stopped. The files that it has written are complete, and the others are unchanged'),
    );
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  const staysAwake = setInterval(() => {}, FOREVER_MS);
  const folder = new StaticFolder(resolve(dir));
  const widget = readWidgetFiles(widgetScriptPath());
  try {
    await using bff = await openExportingBff(config, { withImages, ids: idsToKnow(config.sources, folder) });
    const { pulses, faults } = await exportPulses({
      ask: handlerClient(bff.handle, { maxWaitMs: MAX_WAIT_WINDOWS * config.rateWindowMs, signal: ended.signal }),
      folder,
      progress,
      config,
      widget,
      frames: staticFrames({ ...config, scriptHash: widget?.hash }),
      withFrames,
      withImages,
      wallNow: Date.now,
    });
    progress.print(summaryOf(pulses, dir, faults));
    return pulses !== undefined && faults.length === 0;
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
    clearInterval(staysAwake);
    folder.close();
  }
}

/** Opens a BFF without a log, alerts, and a state folder. */
async function openExportingBff(
  config: Config,
  { withImages, ids }: { readonly withImages: boolean; readonly ids: readonly string[] },
) {
  const bff = await openBff(
    {
      ...config,
      sources: { ...config.sources, ids },
      featureSettings: { ...config.featureSettings, ...UNUSED, PULSE_IMAGES: withImages ? 'proxy' : 'direct' },
      warnings: [],
      logLevel: 'silent',
    },
    { ownsProcess: true },
  );
  const close = async (): Promise<void> => {
    bff.beginStop();
    await bff.close();
  };
  return { handle: bff.app.handleOperator, [Symbol.asyncDispose]: close };
}

function summaryOf(pulses: number | undefined, dir: string, faults: readonly string[]): string {
  if (pulses === undefined) return `Nothing was written: ${dir} is unchanged`;
  return `${pulses} ${pulses === 1 ? 'pulse' : 'pulses'} in ${dir}${faults.length > 0 ? ', not all of them new' : ''}`;
}

/** Where progress is written. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const CLEAR_LINE = '\r\u001B[K';

/**
 * Shows the progress. On a terminal, the progress is one line that changes. Elsewhere, the progress is printed as plain
 * lines.
 */
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
