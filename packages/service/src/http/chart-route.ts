import type { Request, Response } from 'express';
import { chartIdIn } from '../charts/chart-id.ts';
import { readChart } from '../charts/read-chart.ts';
import type { Database } from '../database/open-database.ts';
import { sendRefusal } from './refusal.ts';

/** `GET /charts/{chart}.png`: a chart for any page; its address names its bytes, so it never changes. */
export function chartRoute(db: Database) {
  return async (req: Request, res: Response): Promise<void> => {
    const chartId = chartIdIn(String(req.params['file']));
    const png = chartId === undefined ? undefined : await readChart(db, chartId);
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (png === undefined) return sendRefusal(res, 'notFound');
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    res.setHeader('ETag', `"${chartId}"`);
    res.type('png').send(png);
  };
}
