import { sendOwnHeader } from './own-header.ts';
import { answerFromFiles, IS_PREVIEW } from './preview.ts';

/** Makes `fetch` load the Studio's data: from the BFF with the Studio's own header, and in the preview from files. */
export function prepareFetch(): void {
  if (IS_PREVIEW) answerFromFiles();
  else sendOwnHeader();
}
