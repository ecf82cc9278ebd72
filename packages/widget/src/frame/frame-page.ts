// For the page within a frame: tells the page around it, once that asks, how high it is; pages of allowed origins alone.
const root = document.documentElement;
const allowed = (root.dataset['parents'] ?? '').split(' ');
let told: string | undefined;

// Opened by itself, the page has the whole window: a card that wide is hard to read.
if (parent === window) Object.assign(document.body.style, { maxWidth: '60em', marginInline: 'auto' });

addEventListener('message', ({ source, origin, data }) => {
  if (source !== parent || parent === window || !(data as { pulseFrame?: unknown } | null)?.pulseFrame) return;
  if (!allowed.includes('*') && !allowed.includes(origin)) return;
  told = origin;
  tell();
});

new ResizeObserver(tell).observe(root);

function tell(): void {
  // A page without an origin of its own (`null`) can't be addressed.
  if (told && told !== 'null') parent.postMessage({ pulseFrameHeight: root.getBoundingClientRect().height }, told);
}
