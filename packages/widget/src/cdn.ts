import { setBaseUrl } from './base-url.ts';
import { defineElements } from './define.ts';

// The script lies at the root of the BFF, wherever that is mounted.
setBaseUrl(new URL(/* @vite-ignore */ '.', import.meta.url).href);
defineElements();
