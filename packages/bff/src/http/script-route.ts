import type { Exchange } from './exchange.ts';
import { sendError } from './send-error.ts';
import { CHANGING, IMMUTABLE, sendFile } from './static-file.ts';
import type { WidgetFiles } from './widget-files.ts';

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
export function answerScript(exchange: Exchange, widget: WidgetFiles | undefined): void {
  if (widget === undefined) return sendError(exchange, 'not_found', { error: 'The card is not built on this server' });
  sendFile(exchange, widget.script, CHANGING);
}

/** Answers with the widget's script at the address that is made of its bytes. */
export function answerHashedScript(exchange: Exchange, hash: string, widget: WidgetFiles | undefined): void {
  if (widget === undefined || hash !== widget.hash) return sendError(exchange, 'not_found');
  sendFile(exchange, widget.script, IMMUTABLE);
}

/** Answers with the words of one language. */
export function answerLanguage(exchange: Exchange, file: string, widget: WidgetFiles | undefined): void {
  const language = widget?.languages.get(file);
  if (language === undefined) return sendError(exchange, 'not_found');
  sendFile(exchange, language, CHANGING);
}

/** Answers with the style sheet of cards that a server rendered, at the address that is made of its bytes. */
export function answerStyles(exchange: Exchange, hash: string, widget: WidgetFiles | undefined): void {
  const styles = widget?.served.get(`pulse-card-${hash}.css`);
  if (styles === undefined) return sendError(exchange, 'not_found');
  sendFile(exchange, styles, IMMUTABLE);
}

/** Answers with a script of frames. */
export function answerFrameScript(exchange: Exchange, file: string, widget: WidgetFiles | undefined): void {
  const script = widget?.served.get(file);
  if (script === undefined) return sendError(exchange, 'not_found');
  sendFile(exchange, script, CHANGING);
}
