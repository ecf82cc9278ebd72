/** What a page may put into a card to be shown until it is ready. */
const FALLBACK = ['[slot]', 'svg', 'img', 'picture', 'figure', 'a', 'span', 'noscript', 'template', 'script[data-id]'];
const FOREIGN = `:scope > :not(${FALLBACK.join()}, p:only-of-type)`;

/**
 * Says whether `element` has swallowed the rest of its parent, as HTML has it for a tag that ends in `/>`: it holds another
 * card, or nothing follows it and it holds what is no fallback.
 */
export function hasSwallowedPage(element: Element): boolean {
  if (element.querySelector(element.localName)) return true;
  return !element.nextSibling && element.firstChild instanceof Text && element.querySelector(FOREIGN) !== null;
}
