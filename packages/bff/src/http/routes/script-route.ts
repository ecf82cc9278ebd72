import type { RequestContext } from '../request-context.ts';
import { sendError } from '../send-error.ts';
import type { WidgetFiles } from '../widget-files.ts';
import { OPEN_TO_ALL } from '../../auth/origin-policy.ts';
import type { Representation } from '../representation.ts';

/** The routes of the widget's files, as log and metrics name them. */
export const SCRIPT_ROUTES = {
  script: '/pulse-card.js',
  hashed: '/pulse-card-:hash.js',
  styles: '/pulse-card-:hash.css',
  frame: '/pulse-frame.js',
  framePage: '/pulse-frame-page.js',
  language: '/pulse-card-lang/:file',
} as const;

/** Answers with the widget's script at the address that never changes. */
export function sendScript(context: RequestContext, widget: WidgetFiles | undefined): void {
  if (widget === undefined) return sendError(context, 'not_found', { error: 'The card is not built on this server' });
  sendFile(context, widget.script, CHANGING);
}

/** Answers with the widget's script at the address that is made of its bytes. */
export function sendHashedScript(context: RequestContext, hash: string, widget: WidgetFiles | undefined): void {
  if (widget === undefined || hash !== widget.hash) return sendError(context, 'not_found');
  sendFile(context, widget.script, IMMUTABLE);
}

/** Answers with the words of one language. */
export function sendLanguage(context: RequestContext, file: string, widget: WidgetFiles | undefined): void {
  const language = widget?.languages.get(file);
  if (language === undefined) return sendError(context, 'not_found');
  sendFile(context, language, CHANGING);
}

/** Answers with the style sheet of cards that a server rendered, at the address that is made of its bytes. */
export function sendStyles(context: RequestContext, hash: string, widget: WidgetFiles | undefined): void {
  const styles = widget?.served.get(`pulse-card-${hash}.css`);
  if (styles === undefined) return sendError(context, 'not_found');
  sendFile(context, styles, IMMUTABLE);
}

/** Answers with a script of frames. */
export function sendFrameScript(context: RequestContext, file: string, widget: WidgetFiles | undefined): void {
  const script = widget?.served.get(file);
  if (script === undefined) return sendError(context, 'not_found');
  sendFile(context, script, CHANGING);
}

/** A file that keeps its address when it changes: caches ask again after five minutes. */
export const CHANGING = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800';

/** A file whose address is made of its bytes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Answers with a file that anyone may load from anywhere. */
export function sendFile(context: RequestContext, body: Representation, cacheControl: string): void {
  context.sendBody(body, [...OPEN_TO_ALL, 'Cache-Control', cacheControl]);
}
