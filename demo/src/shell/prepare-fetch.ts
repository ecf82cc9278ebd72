import { sendOwnHeader } from './own-header.ts';
import { answerFromFiles, IS_PREVIEW } from './preview.ts';

/**
 * Prepares `fetch` to load the Studio's data: from the BFF, with the Studio's own header, or from files in the preview.
 */
export function prepareFetch(): void {
  if (IS_PREVIEW) answerFromFiles();
  else sendOwnHeader();
}
