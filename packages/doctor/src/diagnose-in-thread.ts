import { Worker } from 'node:worker_threads';
import { type Diagnosis, diagnose } from './diagnose.ts';
import type { DoctorSettings, PageResult } from './facts.ts';

/** The arguments of `diagnose()`. */
export interface PageCheck {
  readonly page: PageResult;
  readonly settings: DoctorSettings;
  readonly token?: string | undefined;
}

const LIMITS = { timeoutMs: 10_000, heapMb: 128 };

/** Whether this file is TypeScript, which Node runs directly from the source. After a build, it is JavaScript. */
const IS_SOURCE = import.meta.url.endsWith('.ts');

/** The thread's file, next to this one. */
const WORKER = new URL(IS_SOURCE ? './diagnose-worker.ts' : './diagnose-worker.js', import.meta.url);

/** This process's Node options aren't passed on to the thread. */
const EXEC_ARGV = IS_SOURCE ? ['--conditions=source'] : [];

/**
 * Diagnoses a page like `diagnose()`, but in a separate thread, so that an untrusted page can't stop this process. If
 * the thread takes more than 10 s or uses more than 128 MB, it is stopped, and the diagnosis reports this.
 */
export async function diagnoseInThread(check: PageCheck, limits: typeof LIMITS = LIMITS): Promise<Diagnosis> {
  const worker = new Worker(WORKER, {
    workerData: check,
    execArgv: EXEC_ARGV,
    // The thread doesn't receive any of the process's variables, and therefore none of its secrets.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16 },
  });
  const diagnosis = await resultOf(worker, AbortSignal.timeout(limits.timeoutMs));
  await worker.terminate();
  if (diagnosis !== undefined) return diagnosis;
  const { asked, url, redirects } = check.page;
  return diagnose({ ok: false, asked, url, redirects, fault: { kind: 'too-complex' } }, check.settings, check.token);
}

/** Resolves with the thread's diagnosis, or with undefined if the thread ends or `signal` is aborted first. */
function resultOf(worker: Worker, signal: AbortSignal): Promise<Diagnosis | undefined> {
  return new Promise((resolve) => {
    worker.on('message', resolve);
    worker.on('error', () => resolve(undefined));
    worker.on('exit', () => resolve(undefined));
    signal.addEventListener('abort', () => resolve(undefined));
  });
}
