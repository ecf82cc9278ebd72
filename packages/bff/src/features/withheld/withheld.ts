import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { isSourceId, type PulseAnswer } from '@pulse-card/contract';
import { json, Router } from 'express';
import type { OpenFeature } from '../../feature.ts';
import { isFromOtherSite } from '../../http/admin-listener.ts';
import { openWithheldFile, setWithheld, type WithheldFile } from './withheld-file.ts';

/** The file is read again at least this often, in ms, so that a text disappears within a minute. */
const MAX_RELOAD_MS = 30_000;

/** Removes the AI texts of the runs that `PULSE_WITHHELD_FILE` names from every answer. */
export const openWithheld: OpenFeature = async ({ config, clock, isMounted, warn }) => {
  const { withheldFile: path } = config;
  if (path === undefined) return undefined;
  const file = await openWithheldFile(path, { clock, warn, reloadMs: Math.min(config.reloadMs, MAX_RELOAD_MS) });
  return {
    name: 'withheld',
    amend: (answer) => (file.has(answer.pulse.jobRunId) ? withoutTexts(answer) : answer),
    revision: () => file.revision(),
    facts: () => ({ withheld: { isWritable: !isMounted && isWritable(path) } }),
    ...(!isMounted && { operatorPages: withheldRouter(file) }),
    close: () => file.close(),
  };
};

function withoutTexts({ pulse, ...answer }: PulseAnswer): PulseAnswer {
  return { ...answer, pulse: { ...pulse, aiSummaryShort: null, aiSummaryLong: null, withheld: true } };
}

/** Lets the status page withhold a run or release it: `POST /studio/api/withheld` with `{ "run": "…", "withheld": true }`. */
function withheldRouter(file: WithheldFile): Router {
  const router = Router({ caseSensitive: true });
  router.post('/studio/api/withheld', json({ limit: '1kb' }), async ({ headers, body }, response) => {
    // A page of another origin may not set this header, because no CORS header allows it.
    if (isFromOtherSite(headers) || !headers['x-pulse-studio'])
      return void response.status(403).json(refusal('origin_forbidden', 'Only the status page itself may send this'));
    const { run, withheld } = (body ?? {}) as Readonly<Record<string, unknown>>;
    if (!isSourceId(run) || typeof withheld !== 'boolean')
      return void response
        .status(400)
        .json(refusal('invalid_input', 'run must be the id of a run, withheld true or false'));
    if (!isWritable(file.path))
      return void response.status(409).json(refusal('invalid_input', 'This server may not write PULSE_WITHHELD_FILE'));
    await setWithheld(file.path, run, withheld);
    await file.read();
    return void response.json({ run, withheld });
  });
  return router;
}

function refusal(code: string, error: string) {
  return { success: false, error, code };
}

/** Whether this process may replace the file. */
function isWritable(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
