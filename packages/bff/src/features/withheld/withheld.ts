import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { isSourceId, type PulseAnswer } from '@pulse-card/contract';
import { json, type RequestHandler, type Response, Router } from 'express';
import type { Core, FeatureDefinition } from '../../feature.ts';
import { isFromOtherSite } from '../../http/origins.ts';
import type { Problem } from '../../observability/problem.ts';
import {
  openWithheldFile,
  setWithheld,
  type WithheldFault,
  type WithheldFile,
  withheldVariables,
} from './withheld-file.ts';

/** The file is read again at least this often, in ms, so that a withheld text disappears within a minute. */
const MAX_RELOAD_MS = 30_000;

/** The member `withheld` of `/status`, if `PULSE_WITHHELD_FILE` is set. */
export interface WithheldStatus {
  /** Whether the status page can withhold and release text. */
  readonly isWritable: boolean;
  /** The runs whose text is withheld, in the order of the file. */
  readonly runs: readonly string[];
  /** The run that readers see, by source. */
  readonly latestRuns: Readonly<Record<string, string | undefined>>;
}

/** Removes AI text from every answer, for the runs that `PULSE_WITHHELD_FILE` lists. */
export const withheldFeature: FeatureDefinition<typeof withheldVariables> = {
  variables: withheldVariables,
  async open({ config, clock, cache, isMounted, warn }, { PULSE_WITHHELD_FILE: path }) {
    if (path === undefined) return undefined;
    const file = await openWithheldFile(path, { clock, warn, reloadMs: Math.min(config.reloadMs, MAX_RELOAD_MS) });
    return {
      name: 'withheld',
      amend: (answer) => (file.runs.has(answer.pulse.jobRunId) ? withoutTexts(answer) : answer),
      revision: () => String(file.revision),
      facts: (): { readonly withheld: WithheldStatus } => ({
        withheld: { isWritable: !isMounted && isWritable(path), runs: [...file.runs], latestRuns: latestRuns(cache) },
      }),
      problems: () => problemsOf(file),
      ...(!isMounted && { operatorPages: withheldRouter(file, path) }),
      close: () => file.close(),
    };
  },
};

function latestRuns(cache: Core['cache']): WithheldStatus['latestRuns'] {
  return Object.fromEntries(cache.sourceIds.map((id) => [id, cache.peek(id)?.value.pulse?.jobRunId]));
}

/** The problem while the file can't be read. */
function problemsOf({ fault, runs }: WithheldFile): Problem[] {
  if (fault === undefined) return [];
  const outcome = runs.size === 0 ? 'No text is withheld.' : 'Texts that are withheld stay withheld.';
  return [
    {
      code: 'withheld_file_unusable',
      level: 'degraded',
      headline: `The file set in PULSE_WITHHELD_FILE is ${fault}. ${outcome}`,
      advice: ADVICE[fault],
    },
  ];
}

const ADVICE: Readonly<Record<WithheldFault, string>> = {
  missing:
    'Restore the file: after a restart without it, readers would see all texts. To show all texts again, create an empty file.',
  unreadable: 'Allow the user of this server to read the file. Until then, the server cannot be restarted.',
};

function withoutTexts({ pulse, ...answer }: PulseAnswer): PulseAnswer {
  return { ...answer, pulse: { ...pulse, aiSummaryShort: null, aiSummaryLong: null, withheld: true } };
}

/**
 * Lets the status page withhold or release the text of a run: `POST /studio/api/withheld` with `{ "run": "…",
 * "withheld": true }`.
 */
function withheldRouter(file: WithheldFile, path: string): Router {
  const router = Router({ caseSensitive: true });
  router.post('/studio/api/withheld', requireStatusPage, json({ limit: '1kb' }), async ({ body }, response) => {
    const { run, withheld } = (body ?? {}) as Readonly<Record<string, unknown>>;
    if (!isSourceId(run) || typeof withheld !== 'boolean')
      return refuse(response, 400, 'invalid_input', 'run must be a run id, and withheld must be true or false');
    try {
      await setWithheld(path, run, withheld, file.text);
    } catch {
      return refuse(response, 409, 'invalid_input', 'This server cannot write PULSE_WITHHELD_FILE');
    }
    await file.read();
    return void response.json({ run, withheld });
  });
  return router;
}

const requireStatusPage: RequestHandler = ({ headers }, response, next) => {
  // A page on another origin can't set this header, because no CORS header allows it.
  if (!isFromOtherSite(headers) && headers['x-pulse-studio']) return next();
  refuse(response, 403, 'origin_forbidden', 'Only the status page itself may send this request');
};

function refuse(response: Response, status: number, code: string, error: string): void {
  response.status(status).json({ success: false, error, code });
}

/** Returns whether this process may replace the file. */
function isWritable(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
