/** The least and the most that a frame may ask to be high, in pixels. */
const HEIGHT_PX = { least: 40, most: 4_000 };

// For a page with frames of the BFF that this script came from: each gets the height that its page asks for.
const { origin } = new URL(import.meta.url);

addEventListener('message', (event) => {
  const frame = framesHere().find(({ contentWindow }) => contentWindow === event.source);
  const height = (event.data as { pulseFrameHeight?: unknown } | null)?.pulseFrameHeight;
  if (!frame || event.origin !== origin || typeof height !== 'number' || !(height > 0)) return;
  frame.height = String(Math.ceil(Math.min(HEIGHT_PX.most, Math.max(HEIGHT_PX.least, height))));
});

// A page that is there already is asked now, one that comes is asked then. The question says nothing, so anyone may hear it.
// (Of all events, `load` alone does not reach the window.)
framesHere().forEach(ask);
document.addEventListener(
  'load',
  ({ target }) => {
    if (target instanceof HTMLIFrameElement && isOurs(target)) ask(target);
  },
  true,
);

function framesHere(): HTMLIFrameElement[] {
  return [...document.querySelectorAll('iframe')].filter(isOurs);
}

function isOurs({ src }: HTMLIFrameElement): boolean {
  return URL.canParse(src) && new URL(src).origin === origin;
}

function ask({ contentWindow }: HTMLIFrameElement): void {
  contentWindow?.postMessage({ pulseFrame: 1 }, '*');
}
