import type { RequestContext } from '../request-context.ts';
import type { RouteParts } from '../route.ts';
import { answerMeta, publicSource } from '../public-fields.ts';
import { JSON_TYPE } from '../representation.ts';
import { sendError } from '../errors.ts';
import { sendCached } from '../respond.ts';

/** The route for the list, as the log and metrics name it. */
export const SOURCES_ROUTE = '/v1/sources';

/** Responds with the sources that the reader may see: all of them, or those of one provider. */
export async function sendSources(
  context: RequestContext,
  { config, cache, fieldPolicy, bodies }: RouteParts,
): Promise<void> {
  const lookup = await cache.readList(context.reader);
  if (!lookup.ok) return sendError(context, lookup.code, { retryInMs: lookup.retryInMs });
  const { value: list, isEarlierVersion } = lookup;
  const provider = new URLSearchParams(context.target.query).get('provider')?.toUpperCase();
  const visible = list.sources.filter(
    (source) =>
      (provider === undefined || source.provider?.toUpperCase() === provider) &&
      context.reader.refusalOf(source.id) === undefined,
  );
  const name = `${SOURCES_ROUTE} ${visible.map(({ id }) => id).join()}`;
  const body = bodies.body(name, [list, isEarlierVersion], JSON_TYPE, () => {
    const sources = visible.map((source) => publicSource(source, fieldPolicy));
    return JSON.stringify({ meta: answerMeta(list.requestedAtMs, isEarlierVersion), sources });
  });
  sendCached(context, body, lookup, config);
}
