import type { PublicPulse } from '@pulse-card/contract';
import { cleanLine, escapeHtml, plainText } from '@pulse-card/widget/server';
import { Feed, type Item } from 'feed';
import type { RequestContext } from '../../http/request-context.ts';
import { sendCached } from '../../http/respond.ts';
import type { HeadLink, Route, RouteParts } from '../../http/route.ts';
import { findCachedSource } from '../../http/routes/pulses-route.ts';
import type { HistoryStore } from './history-store.ts';
import { type RunAnswer, answersOfRuns } from './runs-route.ts';

const FEED_PATH = '/v1/sources/:sourceId/feed';

const ATOM = 'application/atom+xml';

/** The label before each finding. The label is in English, because a feed has no language setting. */
const AI_GENERATED = 'AI-generated';

/** The maximum length of an entry's title, in characters. */
const TITLE_LENGTH = 300;

/** The route of a source's runs as an Atom feed (RFC 4287), for public sources. */
export function feedRoute(store: HistoryStore): Route {
  return { path: FEED_PATH, access: 'data', answer: (context, parts, id) => sendFeed(context, parts, id, store) };
}

/** The link to a source's feed, for the head of a page. */
export function feedLink(publicUrl: string, sourceId: string, { sourceName }: PublicPulse): HeadLink {
  return { rel: 'alternate', type: ATOM, href: addressOf(publicUrl, sourceId), title: titleOf(sourceName) };
}

function sendFeed(context: RequestContext, parts: RouteParts, sourceId: string, store: HistoryStore): void {
  const lookup = findCachedSource(context, sourceId, parts);
  if (lookup === undefined) return;
  const { config, bodies, fieldPolicy, additions } = parts;
  const history = store.get(sourceId);
  const dependencies = [history, fieldPolicy.charts.period?.(), additions.revision()];
  const body = bodies.body(`${FEED_PATH} ${sourceId}`, dependencies, `${ATOM}; charset=utf-8`, () => {
    const runs = answersOfRuns(history?.runs ?? [], lookup.value, parts);
    return feedOf(sourceId, titleOf(lookup.value.pulse?.sourceName ?? null), runs, config.publicUrl);
  });
  sendCached(context, body, lookup, config);
}

function feedOf(sourceId: string, title: string, runs: readonly RunAnswer[], publicUrl: string): string {
  const page = `${publicUrl}/embed/${encodeURIComponent(sourceId)}`;
  const items = runs.map((run) => itemOf(run, page, title));
  const feed = new Feed({
    id: page,
    title,
    link: page,
    feedLinks: { atom: addressOf(publicUrl, sourceId) },
    updated: items[0]?.date ?? new Date(0),
    author: { name: 'Pulse Card' },
    generator: false,
  });
  for (const item of items) feed.addItem(item);
  return feed.atom1();
}

/** An entry. The title and text of an entry are HTML. */
function itemOf({ run, answer: { pulse } }: RunAnswer, page: string, name: string): Item {
  const { jobRunId, completedAt, imageUrl, aiSummaryShort } = pulse;
  const finding = cleanLine(plainText(aiSummaryShort ?? ''), TITLE_LENGTH);
  const text = finding === '' ? name : `${AI_GENERATED}: ${finding}`;
  const address = `${page}?run=${encodeURIComponent(jobRunId)}`;
  return {
    id: address,
    link: address,
    title: escapeHtml(text),
    content: `<p>${escapeHtml(text)}</p>`,
    date: new Date(completedAt ?? run.firstSeenAt),
    ...(imageUrl !== null && { enclosure: { url: imageUrl, type: 'image/png' } }),
  };
}

function addressOf(publicUrl: string, sourceId: string): string {
  return `${publicUrl}/v1/sources/${encodeURIComponent(sourceId)}/feed`;
}

function titleOf(sourceName: string | null): string {
  return cleanLine(sourceName ?? '', TITLE_LENGTH) || 'Chart';
}
