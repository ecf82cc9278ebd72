import type { Request } from 'express';
import type { AllowedSources, KnownIds } from '../pulses/known-ids.ts';
import type { Handler } from './locals.ts';

/** What a request can see, and who its reader is. */
export interface Permission {
  readonly sources: Exclude<AllowedSources, 'all'>;
  readonly reader?: string | undefined;
}

/** Decides what a request may see. Throws an `ApiError` if it isn't allowed to see anything. */
export type PermissionCheck = (req: Request) => Promise<Permission>;

/** The header that identifies the reader of a response, percent-encoded. */
const READER_HEADER = 'Pulse-Reader';

/** Sets which sources a request can see and who its reader is. */
export function access(checks: readonly PermissionCheck[], ids: Pick<KnownIds, 'allow'>): Handler {
  return async (req, res, next) => {
    const { sources, reader } = await permissionOf(req as Request, checks, ids);
    // The application might have responded itself, for example with a redirect to its login.
    if (res.headersSent) return;
    res.locals.sources = sources;
    if (reader !== undefined) {
      res.locals.reader = reader;
      res.setHeader(READER_HEADER, encodeURIComponent(reader.toWellFormed()));
    }
    next();
  };
}

/**
 * What every check allows, or all sources if there are no checks. If several checks identify a reader, the last one
 * applies.
 */
export async function permissionOf(
  req: Request,
  checks: readonly PermissionCheck[],
  ids: Pick<KnownIds, 'allow'>,
): Promise<Permission> {
  let allowed: Permission = { sources: '*' };
  for (const check of checks) {
    const { sources, reader = allowed.reader } = await check(req);
    if (sources !== '*') ids.allow(sources);
    allowed = { sources: bothAllow(allowed.sources, sources), reader };
  }
  return allowed;
}

function bothAllow(one: Permission['sources'], other: Permission['sources']): Permission['sources'] {
  if (one === '*') return other;
  return other === '*' ? one : new Set([...one].filter((id) => other.has(id)));
}
