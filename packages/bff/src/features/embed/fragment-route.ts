import { type PulseRefusal, renderPulseCard, STYLE_FILE } from '@pulse-card/widget/server';
import { isSourceId, type PulseAnswer } from '@pulse-card/contract';
import { HTML_TYPE, Representation } from '../../http/representation.ts';
import type { PageError, RequestContext } from '../../http/request-context.ts';
import { decodedSegment } from '../../http/target.ts';
import { sendCached } from '../../http/respond.ts';
import type { Route, RouteParts } from '../../http/route.ts';
import { findShown, isPublicServer } from './embed-route.ts';
import { frameOptionsOf } from './frame-page.ts';
import type { FrameTheme } from './frame-theme.ts';

/**
 * The route of the card as HTML with declarative shadow DOM. A server in any language can insert this HTML into a page.
 * If there is an error, the card shows an error message.
 */
export const FRAGMENT_ROUTE: Route = {
  path: '/v1/sources/:sourceId/fragment',
  access: 'frame',
  answer: sendFragment,
  errorPage: (context, parts) => (error) => ({
    headers: VARY,
    html: fragmentOf(requestedId(context), refusalOf(error), context, parts),
  }),
};

const VARY = ['Vary', 'Accept-Encoding'];

async function sendFragment(context: RequestContext, parts: RouteParts, sourceId: string): Promise<void> {
  const shown = await findShown(context, parts, sourceId);
  if (shown === undefined) return;
  const html = fragmentOf(sourceId, shown.answer, context, parts);
  context.headers.push(...VARY);
  sendCached(context, new Representation(html, HTML_TYPE), shown.lookup, parts.config);
}

/** The source id in the path of a request; empty if the id isn't valid. */
function requestedId({ target }: RequestContext): string {
  const segment = decodedSegment(target.path.split('/').at(-2) ?? '');
  return isSourceId(segment) ? segment : '';
}

function refusalOf({ code, source }: PageError): PulseRefusal {
  return { code, ...(source && { source }) };
}

/** The card. All addresses in the HTML are absolute. */
function fragmentOf(
  sourceId: string,
  answer: PulseAnswer | PulseRefusal,
  { target }: RequestContext,
  parts: RouteParts,
): string {
  const { publicUrl } = parts.config;
  const { variant, language, look } = frameOptionsOf(new URLSearchParams(target.query));
  const card = renderPulseCard(answer, {
    sourceId,
    baseUrl: publicUrl,
    styleHref: `${publicUrl}/${STYLE_FILE}`,
    variant,
    theme: look.theme,
    chartTheme: look.chartTheme,
    language,
    // After an error, the element requests the pulse itself.
    embedData: 'pulse' in answer,
    isPublic: isPublicServer(parts),
  });
  return `${styleOf(sourceId, look)}${card}\n`;
}

/** The styles that only this card needs. */
function styleOf(sourceId: string, { css }: FrameTheme): string {
  if (css === '' || sourceId === '') return '';
  return `<style>${css.replaceAll(':root', `pulse-card[source-id="${sourceId}"]`)}</style>`;
}
