import { parentPort, workerData } from 'node:worker_threads';
import { diagnose } from './diagnose.ts';

// Runs in the thread that `diagnoseInThread()` starts.
// eslint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
parentPort?.postMessage(await diagnose(...(workerData as Parameters<typeof diagnose>)));
