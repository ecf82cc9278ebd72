import type { Plugin } from 'vite';

/**
 * The methods of `document` that Lit calls. An element on the page, such as `<img name="createComment">`, can hide a
 * method (DOM clobbering).
 */
const METHOD =
  /(?:\((?<scope>[^()]*\?\?\w+)\)|\b(?<name>\w+))\.(?<method>createComment|createElement|createTreeWalker|importNode)\(/g;

/** Makes Lit call the methods of `document` from its prototype. */
export function documentMethods(): Plugin {
  return {
    name: 'document-methods',
    transform: {
      filter: { id: /\/lit-html\/lit-html\.js$/ },
      handler(code) {
        const alias = /\b(\w+)=document\b/.exec(code)?.[1];
        if (alias === undefined) throw new Error('Cannot find the document of lit-html; fix build/document-methods.ts');
        return code.replaceAll(METHOD, (call, scope?: string, name?: string, method?: string) =>
          scope !== undefined || name === alias ? `Document.prototype.${method}.call(${scope ?? alias},` : call,
        );
      },
    },
  };
}
