// The script for a page in a frame. It reports the card's height at the current width to the browser.
// It also sends the height to the parent page, as a message in WordPress's format. It doesn't listen for messages.
const root = Reflect.get(Document.prototype, 'documentElement', document);
const card = Document.prototype.querySelector.call(document, 'pulse-card');
const [, secret] = /#\?secret=([a-z\d]{1,32})$/i.exec(location.href) ?? [];

/**
 * When the height is reported again, in milliseconds. WordPress puts its script at the end of the page, so it might
 * start listening late.
 */
const AGAIN_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

if (parent === window) {
  // In a separate window, the page doesn't stretch the card, because such a large card is hard to read.
  root.className = 'alone';
} else if (card) {
  new ResizeObserver(report).observe(card);
  for (const type of ['load', 'pulse-toggle']) EventTarget.prototype.addEventListener.call(globalThis, type, report);
  if (secret) for (const afterMs of AGAIN_MS) setTimeout(report, afterMs);
}

function report(): void {
  // A frame in a separate process gets its width only after its page's scripts have run.
  if (innerWidth === 0) return;
  // While it is being measured, the card must not fill the frame. Otherwise, the result would be the frame's own
  // height.
  root.className = 'natural';
  const value = Math.ceil((card as Element).getBoundingClientRect().height);
  if (!card?.shadowRoot?.querySelector('details[open]')) resizeByContent();
  root.className = 'framed';
  // The height isn't a secret, and the page's policy lists the sites that are allowed to frame it.
  if (secret) parent.postMessage({ message: 'height', value, secret }, '*');
}

/**
 * Gives a frame with `frame-sizing` the current height of the page, which is the height of the collapsed card (CSS
 * Sizing 4, section 5.3).
 */
function resizeByContent(): void {
  try {
    (globalThis as { requestResize?(): void }).requestResize?.();
  } catch {
    // A private page doesn't allow the parent to measure it, and an `<object>` can't measure any page.
  }
}
