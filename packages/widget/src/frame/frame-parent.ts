/** The least and the most that a frame may ask to be high, in pixels. */
const HEIGHT_PX = { least: 40, most: 4_000 };

/** How long after its load a frame may say nothing. */
const SILENT_MS = 1_500;

// For a page with frames of the BFF that this script came from: each gets the height that its page asks for.
const { origin } = new URL(import.meta.url);
const heard = new WeakSet<HTMLIFrameElement>();

addEventListener('message', (event) => {
  const { message, value, secret } = (event.data ?? {}) as { message?: unknown; value?: unknown; secret?: unknown };
  const frame = framesHere().find(({ contentWindow }) => contentWindow === event.source);
  if (!frame || event.origin !== origin || secret !== secretOf(frame)) return;
  if (message !== 'height' || typeof value !== 'number' || !(value > 0)) return;
  heard.add(frame);
  frame.height = String(Math.ceil(Math.min(HEIGHT_PX.most, Math.max(HEIGHT_PX.least, value))));
});

// (Of all events, `load` alone does not reach the window.)
document.addEventListener(
  'load',
  ({ target }) => {
    if (target instanceof HTMLIFrameElement && secretOf(target)) setTimeout(() => warnIfSilent(target), SILENT_MS);
  },
  true,
);

/** A page that may not frame another sees a grey box, and no reason. */
function warnIfSilent(frame: HTMLIFrameElement): void {
  if (heard.has(frame) || !frame.isConnected) return;
  const { host, pathname } = new URL(frame.src);
  // eslint-disable-next-line no-console -- for whoever put the frame there
  console.warn(
    `Cannot show ${host}${pathname} in a frame: add ${location.origin} to PULSE_ALLOWED_ORIGINS of ${host}, if that server runs`,
  );
}

function framesHere(): HTMLIFrameElement[] {
  return [...document.querySelectorAll('iframe')];
}

/** The secret that a frame sends with each message: the end of its address. */
function secretOf({ src }: HTMLIFrameElement): string | undefined {
  return URL.canParse(src) && new URL(src).origin === origin ? /#\?secret=([a-z\d]{1,32})$/i.exec(src)?.[1] : undefined;
}
