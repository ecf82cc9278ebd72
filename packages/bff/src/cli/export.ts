import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '@pulse-card/contract';
import express from 'express';
import inject from 'light-my-request';
import { type Bff, openBff } from '../bff.ts';
import { type Config, ConfigError } from '../config.ts';
import { staticFrames } from '../features/embed/frame-page.ts';
import { type Ask, exportPulses, idsToKnow, type Progress } from '../features/export/export-pulses.ts';
import { StaticFolder } from '../features/export/static-folder.ts';
import type { Output } from './program.ts';
import { onSignals } from './signals.ts';

/** The maximum time that a request waits for the budget, in rate-limit windows. */
const MAX_WAIT_WINDOWS = 3;

/** A timer that keeps the process alive, because the budget's own timers don't. */
const FOREVER_MS = 2 ** 31 - 1;

/** The options of an export. */
export interface ExportCommandOptions {
  /** Whether charts are also written. */
  readonly withImages: boolean;
  readonly output: Output;
}

/**
 * Exports the responses of a separate BFF to `dir`. Resolves with whether all responses are new. Throws if the export
 * can't start.
 */
export async function exportTo(
  config: Config,
  dir: string,
  { withImages, output }: ExportCommandOptions,
): Promise<boolean> {
  const faults = faultsOf(config, withImages);
  if (faults.length > 0) throw new ConfigError(faults);
  const progress = createProgress(output);
  const ended = new AbortController();
  onSignals({ stop: () => ended.abort(new Error(STOPPED)) });
  const staysAwake = setInterval(() => {}, FOREVER_MS);
  const folder = new StaticFolder(resolve(dir));
  let bff: Bff | undefined;
  try {
    bff = await openBff(exportConfig(config, { withImages, ids: idsToKnow(config.sources, folder) }));
    const { widget } = bff;
    const result = await exportPulses({
      ask: askOf(bff, { maxWaitMs: MAX_WAIT_WINDOWS * config.rateWindowMs, signal: ended.signal }),
      folder,
      progress,
      config,
      widget,
      withImages,
      frames: staticFrames({ publicUrl: config.publicUrl, scriptHash: widget?.hash }, config.allowedOrigins),
      withFrames: config.hasPublicUrl,
      wallNow: Date.now,
    });
    progress.print(summaryOf(result.pulses, dir, result.faults));
    return result.pulses !== undefined && result.faults.length === 0;
  } finally {
    bff?.beginStop();
    await bff?.close();
    clearInterval(staysAwake);
    folder.close();
  }
}

const STOPPED = 'The export was stopped. The files that it has written are complete, and the others are unchanged';

/** Anyone who knows the URL of an exported file can read it. Charts are fetched only from PULSE_IMAGE_HOSTS. */
function faultsOf({ access, imageHosts, hasPublicUrl }: Config, withImages: boolean): string[] {
  return [
    ...(access === 'token'
      ? ['PULSE_ACCESS: must be public for an export, because anyone can read exported files']
      : []),
    ...(withImages && imageHosts.length === 0 ? ['PULSE_IMAGE_HOSTS: is required when charts are exported'] : []),
    ...(withImages && !hasPublicUrl ? ['PULSE_PUBLIC_URL: is required when charts are exported'] : []),
  ];
}

/** An export uses no state folder, sends no alerts, and has no log. */
function exportConfig(config: Config, { withImages, ids }: { withImages: boolean; ids: readonly string[] }): Config {
  return {
    ...config,
    sources: { ...config.sources, ids: [...ids] },
    images: withImages ? 'proxy' : 'direct',
    stateDir: undefined,
    alertUrl: undefined,
    alertUrlFile: undefined,
    warnings: [],
    logLevel: 'silent',
  };
}

interface AskOptions {
  /** How long to wait in total for a path if the budget doesn't allow its call yet, in ms. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
}

/** Requests paths as the Studio does, in this process. */
function askOf({ operatorPages }: Bff, { maxWaitMs, signal }: AskOptions): Ask {
  const app = express().use(operatorPages);
  return async (path) => {
    for (let leftMs = maxWaitMs; ;) {
      signal.throwIfAborted();
      const url = `/studio/api/bff${path}`;
      const { statusCode, rawPayload, headers } = await inject(app, { url, headers: { 'x-pulse-studio': '1' } });
      if (statusCode === 200) return { ok: true, body: rawPayload };
      const { error, code } = JSON.parse(rawPayload.toString()) as { error: string; code: ErrorCode };
      const waitMs = Number(headers['retry-after'] ?? 1) * 1_000;
      if (code !== 'upstream_rate_limited' || leftMs <= 0) return { ok: false, error, code };
      leftMs -= waitMs;
      await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  };
}

function summaryOf(pulses: number | undefined, dir: string, faults: readonly string[]): string {
  if (pulses === undefined) return `Nothing was written: ${dir} is unchanged`;
  return `${pulses} ${pulses === 1 ? 'pulse' : 'pulses'} in ${dir}${faults.length > 0 ? ', not all of them new' : ''}`;
}

const CLEAR_LINE = '\r\u001B[K';

/** Shows the progress: on a terminal in one line that changes, elsewhere in plain lines. */
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
