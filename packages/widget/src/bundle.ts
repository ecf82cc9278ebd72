import { PulseCard } from './define.ts';

// The script lies at the root of the BFF, wherever that is mounted.
PulseCard.defaultBaseUrl = new URL(/* @vite-ignore */ '.', import.meta.url).href;
