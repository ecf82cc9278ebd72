import { folderOf, setBaseUrl } from './base-url.ts';
import { define } from './define.ts';
import { find, listen } from './dom.ts';
import { warnOnce } from './diagnostics/warn-once.ts';
import { PulseCard } from './elements/pulse-card/element.ts';
import { PulseElement } from './elements/pulse-element.ts';

// The entry point of pulse-card.js, which contains only the card.
// The script is at the BFF's root, even if the BFF is mounted under a path.
PulseElement._$scriptBase = folderOf(import.meta.url);
setBaseUrl(PulseElement._$scriptBase);
define('pulse-card', PulseCard);
listen('load', () => {
  if (find('pulse-board:not(:defined)'))
    warnOnce('<pulse-board> needs pulse-board.js; load it instead of pulse-card.js');
});
