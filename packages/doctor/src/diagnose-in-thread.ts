import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Diagnosis, diagnose } from './diagnose.ts';

const LIMITS = { timeoutMs: 10_000, heapMb: 128 };

/** Whether this file is TypeScript, which Node runs directly from the source. After a build, it is JavaScript. */
const IS_SOURCE = import.meta.url.endsWith('.ts');

/** The thread's file, next to this one. */
const WORKER = new URL(IS_SOURCE ? './diagnose-worker.ts' : './diagnose-worker.js', import.meta.url);

/** This process's Node options aren't passed on to the thread. */
const EXEC_ARGV = IS_SOURCE ? ['--conditions=source'] : [];

/**
 * Diagnoses a page like `diagnose()`, but in a separate thread, so that an untrusted page can't stop this process. If
 * the thread takes more than 10 s or uses more than 128 MB, it is stopped, and the diagnosis reports this. `check`: the
 * arguments of `diagnose()`.
 */
export async function diagnoseInThread(
  check: Parameters<typeof diagnose>,
  limits: typeof LIMITS = LIMITS,
): Promise<Diagnosis> {
  const worker = new Worker(WORKER, {
    workerData: check,
    execArgv: EXEC_ARGV,
    // The thread doesn't receive any of the process's variables, and therefore none of its secrets.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16 },
  });
  // A thread can also fail while it is being stopped.
  worker.on('error', () => {});
  // Rejects if the thread takes too long or fails, for example because it runs out of memory.
  const answered = once(worker, 'message', { signal: AbortSignal.timeout(limits.timeoutMs) });
  const [diagnosis] = (await answered.catch(() => [])) as [Diagnosis?];
  await worker.terminate();
  if (diagnosis !== undefined) return diagnosis;
  const [{ asked, url }, settings, token] = check;
  return diagnose({ ok: false, asked, url, fault: { kind: 'too-complex' } }, settings, token);
}
