/** Keeps proxies and browsers from taking a silent stream for a dead one. */
export const HEARTBEAT = Buffer.from(':\n\n');

/** What a reader is to know before anything has happened: when to come back, and what it need not be sent again. */
export function openingText(retryMs: number, cursor: string | undefined): Buffer {
  // An id without data is no event, but it is remembered (HTML standard, "Dispatch the event").
  return Buffer.from(`${cursor === undefined ? '' : `id: ${cursor}\n`}retry: ${retryMs}\n\n`);
}

/** One pulse: `body` is its answer as JSON, which has no line breaks; `position` is where the reader stands after it. */
export function pulseText(cursor: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`id: ${cursor}\nevent: pulse\ndata: `), body, Buffer.from('\n\n')]);
}

/** The stream ends on purpose; the reader comes back after `retryMs`. */
export function closingText(retryMs: number): Buffer {
  return Buffer.from(`event: bye\nretry: ${retryMs}\ndata: {}\n\n`);
}
