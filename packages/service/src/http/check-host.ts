import type { NextFunction, Request, Response } from 'express';
import { sendRefusal } from './refusal.ts';

/** Refuses two `Host` headers, which caches in front may read differently, and HTTP/1.1 without one (RFC 9112, 3.2). */
export function checkHost(req: Request, res: Response, next: NextFunction): void {
  const hosts = req.headersDistinct['host']?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1')) return sendRefusal(res, 'badRequest');
  next();
}
