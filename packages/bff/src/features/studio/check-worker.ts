import { parentPort, workerData } from 'node:worker_threads';
import { diagnose } from '@pulse-card/doctor';
import type { CheckJob } from './check-page.ts';

// Diagnoses a page in a separate thread, so that no page delays a reader. Limits of time and memory can end the thread.
const { page, settings, token } = workerData as CheckJob;
// eslint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
parentPort?.postMessage(await diagnose(page, settings, token));
