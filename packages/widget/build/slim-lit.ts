import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** What is cut out of lit-html, and what takes its place: all that no template of ours uses. */
const CUTS: readonly (readonly [what: string, pattern: RegExp, instead: string])[] = [
  // Where Lit alone would throw at a page that allows no policy, the card stays away.
  ['the policy', /(\w+)\?\1\.createPolicy\("lit-html",\{createHTML:(\w+)=>\2\}\):void 0/, '__policy($1)'],
  ['directives', /function M\(.*?(?=class R\{)/, 'const M=(t,i)=>i;'],
  ['SVG and MathML', /2===i\?"<svg>":3===i\?"<math>":""/, '""'],
  ['their ends', /\(2===i\?"<\/svg>":3===i\?"<\/math>":""\)/, '""'],
  [
    'their roots',
    /if\((this\.el=S\.createElement\(f,e\),P\.currentNode=this\.el\.content),2===i\|\|3===i\)\{.*?\}(?=for\()/,
    '$1;',
  ],
  ['property bindings', /"\."===e\[1\]\?I:/, ''],
  ['element bindings', /else t\.startsWith\(o\)&&\(d\.push\(\{type:6,index:l\}\),r\.removeAttribute\(t\)\)/, ''],
  ['their parts', /:6===r\.type&&\(i=new Z\(h,this,t\)\)/, ':0'],
  ['text-only elements', /if\(y\.test\(r\.tagName\)\)\{.*?\}(?=\}else if\(8===)/, ''],
  ['their scanner', /\(y\.test\(u\[2\]\)&&\(n=RegExp\("<\/"\+u\[2\],"g"\)\),c=p\)/, '(c=p)'],
  ['bindings in comments', /else\{let t=-1;for\(.*?o\.length-1\}(?=l\+\+)/, ''],
  ['compiled templates', /"number"==typeof s\?this\._\$AC\(t\):\(.*?,s\)(?=;if)/, 'this._$$AC(t)'],
  ['connection of directives', /this\._\$AP\?\.\(!1,!0,s\)(?=;)/, ''],
  ['the same from outside', /setConnected\(t\)\{.*?\}(?=\}class)/, ''],
  [
    'what directives ask of a template',
    /get parentNode\(\)\{return this\._\$AM\.parentNode\}get _\$AU\(\)\{return this\._\$AM\._\$AU\}(?=u\()/,
    '',
  ],
  ['what they ask of content', /get _\$AU\(\)\{return this\._\$AM\?\._\$AU\?\?this\._\$Cv\}/, ''],
  [
    'where content stands',
    /get parentNode\(\)\{let t=this\._\$AA\.parentNode;.*?get endNode\(\)\{return this\._\$AB\}/,
    '',
  ],
  [
    'what they ask of attributes',
    /get tagName\(\)\{.*?get _\$AU\(\)\{return this\._\$AM\._\$AU\}(?=constructor\(t,i,s,e,h\)\{this)/,
    '',
  ],
  ['whether content is connected', /,this\._\$Cv=e\?\.isConnected\?\?!0/, ''],
  ['options of listeners', /\|\|t\.capture!==s\.capture\|\|t\.once!==s\.once\|\|t\.passive!==s\.passive/, ''],
  ['what says which versions are there', /\(t\.litHtmlVersions\?\?=\[\]\)\.push\("[\d.]+"\)/, '0'],
  ['polyfills', /B\?\.\(S,k\),/, ''],
];

/** Leaves out of lit-html what the card does without; stops the build when lit-html has changed. */
export function slimLit(): Plugin {
  const policy = fileURLToPath(new URL('../src/trusted-types.ts', import.meta.url));
  return {
    name: 'slim-lit',
    transform(code, id) {
      if (!id.endsWith('/lit-html/lit-html.js')) return null;
      let slim = code;
      for (const [what, pattern, instead] of CUTS) {
        if (!pattern.test(slim)) throw new Error(`Cannot take ${what} out of lit-html: its code has changed`);
        slim = slim.replace(pattern, instead);
      }
      return `import { createPolicy as __policy } from ${JSON.stringify(policy)};${slim}`;
    },
  };
}
