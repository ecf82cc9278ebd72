import { Worker } from 'node:worker_threads';
import { type Diagnosis, diagnose, type DoctorSettings, type PageResult } from '@pulse-card/doctor';
import { z } from 'zod';
import { isSerializedOrigin, OriginPolicy } from '../../http/origins.ts';
import type { Config } from '../../config/config.ts';
import type { ChartOrigin } from '../../http/public-fields.ts';
import type { WidgetFiles } from '../../http/widget-files.ts';
import { fetchPage, type FetchGuards } from './fetch-page.ts';

/** The input of a page check. */
export const checkInputSchema = z.object({
  /** The address of a page, or an origin. */
  url: z
    .string('must be an address such as https://www.example.com/page, with its scheme')
    .trim()
    .max(2_048, 'must have at most 2048 characters')
    .refine(isPageUrl, 'must be an address such as https://www.example.com/page, with its scheme'),
  /** A token to explain. */
  token: z.string().max(16_384, 'must have at most 16384 characters').optional(),
});

/** The input of a page check. */
export type CheckInput = z.input<typeof checkInputSchema>;

/** What the worker thread receives. */
export interface CheckJob {
  readonly page: PageResult;
  readonly settings: DoctorSettings;
  readonly token: string | undefined;
}

/** The limits of a check. */
export interface CheckLimits {
  readonly timeoutMs: number;
  readonly heapMb: number;
}

const LIMITS: CheckLimits = { timeoutMs: 10_000, heapMb: 128 };

/** The part of the configuration that the doctor reads. */
type DoctorConfig = Pick<Config, 'publicUrl' | 'allowedOrigins' | 'access'>;

/** The settings that a page is checked against, without the known sources and tokens. */
export function doctorSettings(
  { publicUrl, allowedOrigins, access }: DoctorConfig,
  { mode: images, hosts: imageHosts }: ChartOrigin,
  widget: Pick<WidgetFiles, 'integrity'> | undefined,
) {
  const { own: ownOrigins } = new OriginPolicy(allowedOrigins, publicUrl);
  return { publicUrl, allowedOrigins, ownOrigins, access, images, imageHosts, integrity: widget?.integrity };
}

/** The origins that the operator has named. These origins may be on this machine. */
export function trustedOrigins({ allowedOrigins, ownOrigins }: Pick<DoctorSettings, 'allowedOrigins' | 'ownOrigins'>) {
  return [...(allowedOrigins === '*' ? [] : allowedOrigins), ...ownOrigins];
}

export interface PageCheckerOptions {
  /** The current settings. */
  readonly settings: () => DoctorSettings;
  readonly guards?: Partial<FetchGuards>;
  /** @default 10 s and 128 MB */
  readonly limits?: CheckLimits;
}

/**
 * Creates the function that checks pages for a running BFF. The function checks one page at a time. `fetchPage()`
 * fetches the page within its limits, and a separate thread diagnoses it. Rejects with a `ZodError` if the input is not
 * valid.
 */
export function pageChecker({ settings, guards, limits = LIMITS }: PageCheckerOptions) {
  let last: Promise<unknown> = Promise.resolve();
  return async (input: CheckInput): Promise<Diagnosis> => {
    const { url, token } = checkInputSchema.parse(input);
    const check = last.then(async () => {
      const given = settings();
      const page = await fetchPage(new URL(url), { trustedOrigins: trustedOrigins(given), ...guards });
      return diagnoseInThread({ page, settings: given, token }, limits);
    });
    last = check.catch(() => {});
    return check;
  };
}

/** The worker's file, next to this one. This file is TypeScript if Node strips types, and JavaScript after a build. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './check-worker.ts' : './check-worker.js', import.meta.url);
/** The Node options of this process are not passed on to the thread. */
const EXEC_ARGV = import.meta.url.endsWith('.ts') ? ['--conditions=source'] : [];

async function diagnoseInThread(job: CheckJob, { timeoutMs, heapMb }: CheckLimits): Promise<Diagnosis> {
  const worker = new Worker(WORKER, {
    workerData: job,
    execArgv: EXEC_ARGV,
    // The thread gets none of the process's variables, and therefore none of its secrets.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
  });
  worker.unref();
  const signal = AbortSignal.timeout(timeoutMs);
  const ended = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined));
    worker.on('error', () => resolve(undefined));
    worker.on('exit', () => resolve(undefined));
  });
  const answered = new Promise<Diagnosis>((resolve) => {
    worker.on('message', resolve);
  });
  const diagnosis = await Promise.race([answered, ended]);
  await worker.terminate();
  if (diagnosis !== undefined) return diagnosis;
  const { asked, url, redirects } = job.page;
  return diagnose({ ok: false, asked, url, redirects, fault: { kind: 'too-complex' } }, job.settings, job.token);
}

function isPageUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  return isSerializedOrigin(new URL(text).origin);
}
