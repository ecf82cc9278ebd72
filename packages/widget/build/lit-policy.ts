import type { Plugin } from 'vite';

const CALL = /(\w+)\?\1\.createPolicy\("lit-html",\{createHTML:(\w+)=>\2\}\):void 0/;

/** Has Lit take its Trusted Types policy from us, so that a page that allows none is not thrown at. */
export function litPolicy(): Plugin {
  return {
    name: 'lit-policy',
    transform(code, id) {
      if (!/\/lit-html\/.*lit-html\.js$/.test(id)) return null;
      if (!CALL.test(code)) throw new Error('Cannot take over the policy of lit-html: its code has changed');
      const source = new URL('../src/trusted-types.ts', import.meta.url).pathname;
      return `import { createPolicy as __policy } from ${JSON.stringify(source)};${code.replace(CALL, '__policy($1)')}`;
    },
  };
}
