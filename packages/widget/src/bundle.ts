// Before all else, where its repetitions weigh least.
import './style-sheet.ts';
import { PulseElement } from './pulse-element.ts';
import { defineElements } from './register.ts';

// The script lies at the root of the BFF, wherever that is mounted. Elements of the page ask as soon as they are defined.
PulseElement.defaultBaseUrl = new URL(/* @vite-ignore */ '.', import.meta.url).href;
defineElements();
