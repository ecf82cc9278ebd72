import { folderOf, setBaseUrl } from './base-url.ts';
import { define } from './define.ts';
import { PulseBoard } from './elements/pulse-board/element.ts';
import { PulseCard } from './elements/pulse-card/element.ts';
import { PulseElement } from './elements/pulse-element.ts';

// The entry point of pulse-board.js: the board and the card, for pages with a board.
// The script is at the BFF's root, even if the BFF is mounted under a path.
PulseElement._$scriptBase = folderOf(import.meta.url);
setBaseUrl(PulseElement._$scriptBase);
define('pulse-card', PulseCard);
define('pulse-board', PulseBoard);
