import type { Request } from 'express';
import type { AllowedSources, Pulses } from '../pulses/pulses.ts';
import { ApiError } from './errors.ts';
import type { Handler } from './locals.ts';

/** What a request may see, and who its reader is. */
export interface Permission {
  readonly sources: AllowedSources;
  readonly reader?: string | undefined;
}

/** Decides what a request may see. Throws an `ApiError` if it may not see anything. */
export type PermissionCheck = (req: Request) => Promise<Permission>;

/** The header that identifies the reader of a response, percent-encoded. */
const READER_HEADER = 'Pulse-Reader';

/**
 * Sets which sources a request may see: those that every check allows. Without checks, it may see all sources. The last
 * check that identifies a reader determines who reads.
 */
export function access(checks: readonly PermissionCheck[], pulses: Pick<Pulses, 'allow'>): Handler {
  if (checks.length === 0) return allowAll('*');
  return async (req, res, next) => {
    let allowed: Permission = { sources: '*' };
    for (const check of checks) {
      const { sources, reader = allowed.reader } = await check(req as Request);
      if (sources !== '*' && sources !== 'all') pulses.allow(sources);
      allowed = { sources: bothAllow(allowed.sources, sources), reader };
    }
    // The application may have responded itself, for example with a redirect to its login.
    if (res.headersSent) return;
    res.locals.sources = allowed.sources;
    if (allowed.reader !== undefined) {
      res.locals.reader = allowed.reader;
      res.setHeader(READER_HEADER, encodeURIComponent(allowed.reader.toWellFormed()));
    }
    next();
  };
}

/** Lets every request see the same sources. */
export function allowAll(sources: AllowedSources): Handler {
  return (_req, res, next) => {
    res.locals.sources = sources;
    next();
  };
}

/** The sources that both allow. */
export function bothAllow(one: AllowedSources, other: AllowedSources): AllowedSources {
  if (typeof one === 'string') return other;
  return typeof other === 'string' ? one : new Set([...one].filter((id) => other.has(id)));
}

/** The failure of an application's `authorize`, which doesn't reveal anything about the reader. */
export function permissionUnknown(detail: string): ApiError {
  const error = 'Pulses are unavailable: the application didn’t say what this reader may see';
  return new ApiError('upstream_unavailable', { error, detail });
}
