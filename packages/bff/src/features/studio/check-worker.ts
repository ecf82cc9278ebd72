import { parentPort, workerData } from 'node:worker_threads';
import { diagnose } from '@pulse-card/doctor';
import type { CheckJob } from './check-page.ts';

// A separate thread, so that no page delays a reader. Limits of time and memory end it.
const { page, settings, token } = workerData as CheckJob;
// eslint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
parentPort?.postMessage(await diagnose(page, settings, token));
