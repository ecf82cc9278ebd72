import { ApiError } from '../errors.ts';
import { type Handler, queryOf } from '../locals.ts';
import { metaOf } from '../public-fields.ts';
import { JSON_TYPE, sendCached } from '../send.ts';
import type { DataParts } from './pulse.ts';

/** `GET /v1/sources`: the sources that the reader may see, either all of them or only one provider's. */
export function sourceList({ pulses, fields, bodies, config }: DataParts): Handler {
  return async (req, res) => {
    const { sources: allowed, viewer } = res.locals;
    const lookup = await pulses.readList(viewer);
    if (!lookup.ok) throw new ApiError(lookup.code, lookup);
    const { value, requestedAtMs } = lookup.value;
    const provider = queryOf(req).get('provider')?.toUpperCase() || undefined;
    const visible = value.rows.filter(
      (row) => (provider === undefined || row.provider?.toUpperCase() === provider) && pulses.ids.has(row.id, allowed),
    );
    const name = `list ${visible.map(({ id }) => id).join()}`;
    const body = bodies.body(name, [value, requestedAtMs, lookup.isStale], JSON_TYPE, () => {
      const sources = visible.map((row) => fields.source(row));
      return JSON.stringify({ meta: metaOf(requestedAtMs, lookup.isStale), sources });
    });
    sendCached(req, res, body, lookup, config);
  };
}
