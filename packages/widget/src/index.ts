import { defineElements } from './define.ts';

export * from './elements/index.ts';

// Where there is no browser, the classes can still be imported and rendered to.
if (globalThis.customElements) defineElements();
