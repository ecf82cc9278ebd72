import type { NextFunction, Request, Response } from 'express';
import { sendRefusal } from './refusal.ts';

/** Refuses a path that cannot be decoded, and two `Host` headers, which caches in front may read differently. */
export function checkRequest(req: Request, res: Response, next: NextFunction): void {
  if (!isDecodable(req.path) || (req.headersDistinct['host']?.length ?? 0) > 1) return sendRefusal(res, 'badRequest');
  next();
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
