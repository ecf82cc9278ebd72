import { parentPort, workerData } from 'node:worker_threads';
import { diagnose } from '@pulse-card/doctor';
import type { CheckJob } from './check-page.ts';

// A thread of its own, so that no page delays a reader: it is ended by its limits of time and memory.
const { page, settings, token } = workerData as CheckJob;
// eslint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
parentPort?.postMessage(await diagnose(page, settings, token));
