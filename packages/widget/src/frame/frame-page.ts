// For the page within a frame: tells the page around it how high the card is at this width, in WordPress's message. It hears none.
const root = document.documentElement;
const card = document.querySelector('pulse-card');
const [, secret] = /#\?secret=([a-z\d]{1,32})$/i.exec(location.href) ?? [];

if (parent === window) {
  // Opened by itself, the page has the whole window: a card that wide or high is hard to read.
  root.className = 'alone';
} else if (card && secret) {
  new ResizeObserver(tell).observe(card);
  addEventListener('load', tell);
  addEventListener('pulse-toggle', tell);
}

function tell(): void {
  // Without the height that it was given, which the page around would hear again.
  root.className = 'natural';
  const value = Math.ceil((card as Element).getBoundingClientRect().height);
  root.className = '';
  // The height is no secret, and the policy of the page names who may frame it.
  parent.postMessage({ message: 'height', value, secret }, '*');
}
