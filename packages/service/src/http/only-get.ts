import type { Request, Response } from 'express';
import { sendRefusal } from './refusal.ts';

/** Ends a route: its path is known, but not for this method. */
export function onlyGet(_req: Request, res: Response): void {
  res.setHeader('Allow', 'GET, HEAD');
  sendRefusal(res, 'methodNotAllowed');
}
