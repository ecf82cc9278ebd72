import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/**
 * Names of properties that only the script and its second file use. The list excludes names in JSON and in styles, and
 * names that a different copy of the script reads, such as `_listing`.
 */
const NAMES = `
  _given _isNear _isPrivate _isWanted _load _messageOf _onChange _onStore _onTakeOver _render _state
  absoluteTime advice aiNote askedHost audiences canTurn cardPicture changeReader chartUrl
  dateTemplate enlargedTemplate expiresAt findingTemplate forgetToken getSession hasData hasFallback hasToken
  historyTemplate inCard isAnalysisBuilt isAtEnd isBarAside isChartDark isFindingCut isFor isMissing isNear isOpen isPaused
  isPrinting isPrivate isRecent isReplacement isServer isStarting isTurned isVisible isWaiting jitter keptPicture lastToken
  loadForPrint loadHistory loadedUrl nameOf noteTemplate ofSeveral onAction onChange onColorScheme onEnlarge onError
  onFallbackChange onFilter onLoad onOpenSource onPrint onReaderChange onRestore onRetry onReturn onSort onStore onTick
  onToggle onTokenChange onView openEnlarged plainText prepareAction pressAction providerName relativeTime retryAfterMs
  retryAtMs revalidate revalidateIfDue revalidateOnReturn sentAt setProvider setReader speaker startOver takesEmbedded
  widthPx zoomedPx attempt attempts keepUnits permalink
`.match(/\w+/g) as string[];

const SHORT = new Map(NAMES.map((name, index) => [name, `_${index.toString(36)}`]));
const ANY_NAME = new RegExp(`\\b(?:${NAMES.join('|')})\\b`, 'g');
const MANIFEST = fileURLToPath(new URL('../custom-elements.json', import.meta.url));

/**
 * Shortens the names of internal properties. Pages must not use these names, so the build fails if the manifest
 * contains one of them.
 */
export function internalNames(): Plugin {
  return {
    name: 'internal-names',
    buildStart() {
      const [known] = readFileSync(MANIFEST, 'utf8').match(new RegExp(`"(?:${NAMES.join('|')})"`)) ?? [];
      if (known) throw new Error(`${known} is public; remove it from build/internal-names.ts`);
    },
    transform: {
      filter: { id: /\/packages\/widget\/src\// },
      handler: (code) => code.replaceAll(ANY_NAME, (name) => SHORT.get(name) as string),
    },
  };
}
