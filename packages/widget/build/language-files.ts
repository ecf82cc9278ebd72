import type { Plugin } from 'vite';
import { translationOf } from '../src/i18n/translation-of.ts';
import { TRANSLATED } from '../src/i18n/translations.ts';
import { VERSION } from '../src/version.ts';

/**
 * Writes each language as a small file, such as `lang/de-1.2.3.json`. The file name contains the version, so browsers
 * can cache the file permanently.
 */
export function languageFiles(): Plugin {
  return {
    name: 'language-files',
    generateBundle() {
      for (const tag of TRANSLATED.split(' '))
        this.emitFile({
          type: 'asset',
          fileName: `lang/${tag}-${VERSION}.json`,
          source: JSON.stringify(translationOf(tag)),
        });
    },
  };
}
