import { PulseCard } from './pulse-card.ts';
import { definePulseCard } from './register.ts';

// The script lies at the root of the BFF, wherever that is mounted. Cards of the page ask as soon as they are defined.
PulseCard.defaultBaseUrl = new URL(/* @vite-ignore */ '.', import.meta.url).href;
definePulseCard();
