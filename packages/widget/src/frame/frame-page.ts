// For the page within a frame: tells the page around it how high the card is at this width, in WordPress's message. It hears none.
const root = document.documentElement;
const card = document.querySelector('pulse-card');
const [, secret] = /#\?secret=([a-z\d]{1,32})$/i.exec(location.href) ?? [];

/** When the height is told again, in milliseconds: the script at the end of a WordPress page may start to listen late. */
const AGAIN_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

if (parent === window) {
  // Opened by itself, the page has the whole window: a card that wide or high is hard to read.
  root.className = 'alone';
} else if (card && secret) {
  new ResizeObserver(tell).observe(card);
  addEventListener('load', tell);
  addEventListener('pulse-toggle', tell);
  for (const afterMs of AGAIN_MS) setTimeout(tell, afterMs);
}

function tell(): void {
  // A frame in a process of its own is given its width only after the page has run.
  if (innerWidth === 0) return;
  // Without the height that it was given, which the page around would hear again.
  root.className = 'natural';
  const value = Math.ceil((card as Element).getBoundingClientRect().height);
  root.className = '';
  // The height is no secret, and the policy of the page names who may frame it.
  parent.postMessage({ message: 'height', value, secret }, '*');
}
