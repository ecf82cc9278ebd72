/** The minimum and maximum height that a frame can request, in pixels. */
const HEIGHT_PX = { least: 40, most: 4_000 };

/** How much time a frame has to send its height after its load event. */
const SILENT_MS = 1_500;

// The script for a page with frames from this script's BFF. It gives each frame the height that its page requests.
const { origin } = new URL(import.meta.url);
const heard = new WeakSet<HTMLIFrameElement>();

EventTarget.prototype.addEventListener.call(globalThis, 'message', (received) => {
  const event = received as MessageEvent;
  const { message, value, secret } = (event.data ?? {}) as { message?: unknown; value?: unknown; secret?: unknown };
  const frame = framesHere().find(({ contentWindow }) => contentWindow === event.source);
  if (!frame || event.origin !== origin || secret !== secretOf(frame)) return;
  if (message !== 'height' || typeof value !== 'number' || !(value > 0)) return;
  heard.add(frame);
  frame.height = String(Math.ceil(Math.min(HEIGHT_PX.most, Math.max(HEIGHT_PX.least, value))));
});

// The listener captures the event, because a frame's load event doesn't bubble.
EventTarget.prototype.addEventListener.call(
  document,
  'load',
  ({ target }) => {
    if (target instanceof HTMLIFrameElement && secretOf(target)) setTimeout(() => warnIfSilent(target), SILENT_MS);
  },
  true,
);

/** Logs the probable reason if the browser blocks a frame and shows a gray box. */
function warnIfSilent(frame: HTMLIFrameElement): void {
  if (heard.has(frame) || !frame.isConnected) return;
  const { host, pathname } = new URL(frame.src);
  // eslint-disable-next-line no-console -- for the developer who added the frame
  console.warn(
    `Can’t show ${host}${pathname} in a frame: add ${location.origin} to PULSE_ALLOWED_ORIGINS on ${host}, if that server is running`,
  );
}

function framesHere(): HTMLIFrameElement[] {
  return [...Document.prototype.querySelectorAll.call(document, 'iframe')] as HTMLIFrameElement[];
}

/** The secret that a frame sends with each message. It is at the end of the frame's URL. */
function secretOf({ src }: HTMLIFrameElement): string | undefined {
  return URL.canParse(src) && new URL(src).origin === origin ? /#\?secret=([a-z\d]{1,32})$/i.exec(src)?.[1] : undefined;
}
