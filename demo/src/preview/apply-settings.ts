import type { Settings } from './settings.ts';

/** Makes the card what the settings say; `names` are all attributes that the settings are the master of. */
export function applySettings(card: HTMLElement, { attributes, properties }: Settings, names: readonly string[]): void {
  for (const name of names) {
    const value = attributes[name];
    if (value === undefined) card.removeAttribute(name);
    else if (card.getAttribute(name) !== value) card.setAttribute(name, value);
  }
  card.removeAttribute('style');
  for (const [name, value] of Object.entries(properties)) card.style.setProperty(name, value);
}
