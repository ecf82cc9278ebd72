import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { Tweet } from 'react-tweet';

// A page that uses no React otherwise mounts each tweet where its author put a place for it.
for (const place of document.querySelectorAll<HTMLElement>('[data-tweet]')) {
  const { tweet = '', api = '' } = place.dataset;
  createRoot(place).render(createElement(Tweet, { id: tweet, apiUrl: api }));
}
