import { HANGING } from '../../answers/answers.ts';

/** A card gives up on an answer that never comes; where waiting is what is to be seen, a new card takes its place. */
export function keepLoading(root: HTMLElement): void {
  root.addEventListener('pulse-error', ({ target }) => {
    if (target instanceof HTMLElement && target.getAttribute('base-url')?.endsWith(`/${HANGING}`)) {
      target.replaceWith(target.cloneNode());
    }
  });
}
