import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { type Database, pingDatabase } from '../database/open-database.ts';
import { sendRefusal } from './refusal.ts';

/** `GET /healthz`: says whether the service and its database answer. */
export function healthRoute(db: Database, log: Logger) {
  return async (_req: Request, res: Response): Promise<void> => {
    try {
      await pingDatabase(db);
      res.json({ status: 'ok' });
    } catch (error) {
      log.error({ err: error }, 'Cannot reach the database');
      sendRefusal(res, 'databaseUnreachable');
    }
  };
}
