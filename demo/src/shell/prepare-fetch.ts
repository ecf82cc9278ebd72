import { sendOwnHeader } from './own-header.ts';
import { answerFromFiles, IS_PREVIEW } from './preview.ts';

/** Has `fetch` reach the data of the Studio: the BFF's with the Studio's own header, in the preview its files. */
export function prepareFetch(): void {
  if (IS_PREVIEW) answerFromFiles();
  else sendOwnHeader();
}
