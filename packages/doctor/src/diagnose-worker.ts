import { parentPort, workerData } from 'node:worker_threads';
import { diagnose } from './diagnose.ts';
import type { PageCheck } from './diagnose-in-thread.ts';

// Runs in the thread that `diagnoseInThread()` starts.
const { page, settings, token } = workerData as PageCheck;
// eslint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
parentPort?.postMessage(await diagnose(page, settings, token));
