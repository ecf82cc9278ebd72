import { declarationsOf } from '../theme/look.ts';
import type { Code, CodeFacts } from './code-facts.ts';
import {
  headingRule,
  indented,
  quoted,
  scriptTag,
  selectorOf,
  styleBlock,
  styleLines,
  tagLines,
  tokenLines,
  tokenProvider,
  trimmed,
  valuesOf,
} from './code-parts.ts';
import { schemeOf, type Settings, valueOf } from './settings.ts';

/** The code for React. */
export function reactCode(settings: Settings, facts: CodeFacts): Code {
  const style = declarationsOf(settings.look, schemeOf(settings)).map(
    ([property, value]) => `'${property === 'font-size' ? 'fontSize' : property}': ${quoted(value)}`,
  );
  const [source = '', ...others] = valuesOf(settings, facts).map(({ property, value }) => {
    if (value === true) return property;
    return `${property}=${typeof value === 'number' ? `{${value}}` : jsxText(value)}`;
  });
  const props = [
    source,
    `baseUrl=${jsxText(facts.baseUrl)}`,
    ...others,
    ...(facts.isPrivate ? ['tokenProvider={fetchToken}'] : []),
    ...(style.length === 0 ? [] : [`style={{ ${style.join(', ')} }}`]),
  ];
  const card = ['<PulseCard', ...indented(props), '/>'];
  const rule = headingRule(settings);
  const content = rule === '' ? card : ['<>', ...indented([`<style>{\`${rule}\`}</style>`, ...card]), '</>'];
  const lines = [
    "import { PulseCard } from '@pulse-card/widget/react';",
    '',
    ...(facts.isPrivate ? [...tokenProvider('const fetchToken ='), ''] : []),
    'export function Chart() {',
    '  return (',
    ...indented(indented(content)),
    '  );',
    '}',
  ];
  return {
    text: lines.join('\n'),
    note: 'The package includes types. The card is a custom element, so its styles don’t conflict with your page’s styles.',
  };
}

/** JSX doesn't support escapes in string attributes, so unusual strings are written in braces. */
function jsxText(text: string): string {
  return /^[^"&{}<>\\]*$/.test(text) ? `"${text}"` : `{${quoted(text)}}`;
}

/** The code for Vue. */
export function vueCode(settings: Settings, facts: CodeFacts): Code {
  const { isPrivate } = facts;
  const lines = [
    '<script setup>',
    "import '@pulse-card/widget';",
    ...(isPrivate ? ['', ...tokenProvider('const fetchToken =')] : []),
    '</script>',
    '',
    '<template>',
    ...indented(tagLines(settings, facts, isPrivate ? ['.tokenProvider="fetchToken"'] : [])),
    '</template>',
    ...afterEmptyLine(styleBlock(headingRule(settings))),
  ];
  return {
    text: lines.join('\n'),
    note: "Tell the Vue compiler which tags are custom elements: isCustomElement: (tag) => tag.startsWith('pulse-').",
  };
}

/** The code for Svelte. */
export function svelteCode(settings: Settings, facts: CodeFacts): Code {
  const { isPrivate } = facts;
  const rule = headingRule(settings).replace(selectorOf(settings), (selector) => `:global(${selector})`);
  const lines = [
    '<script>',
    "  import '@pulse-card/widget';",
    ...(isPrivate ? ['', ...indented(tokenProvider('const fetchToken ='))] : []),
    '</script>',
    '',
    ...tagLines(settings, facts, isPrivate ? ['tokenProvider={fetchToken}'] : []),
    ...afterEmptyLine(styleBlock(rule)),
  ];
  return {
    text: lines.join('\n'),
    note: 'Svelte sets element properties automatically, without any configuration.',
  };
}

/**
 * The code for Angular, which reads `{{` as an expression even if it is escaped. Strings that contain `{{` become class
 * fields.
 */
export function angularCode(settings: Settings, facts: CodeFacts): Code {
  const { isPrivate } = facts;
  const rule = headingRule(settings);
  const { fields = [], attributes = [] } = Object.groupBy(valuesOf(settings, facts), ({ value }) =>
    String(value).includes('{{') ? 'fields' : 'attributes',
  );
  const bound = [
    ...fields.map(({ property }) => `[${property}]="${property}"`),
    ...(isPrivate ? ['[tokenProvider]="fetchToken"'] : []),
  ];
  const members = [
    ...fields.map(({ property, value }) => `protected readonly ${property} = ${quoted(String(value))};`),
    ...(isPrivate ? tokenProvider('protected readonly fetchToken =') : []),
  ];
  const lines = [
    "import { Component, CUSTOM_ELEMENTS_SCHEMA } from '@angular/core';",
    "import '@pulse-card/widget';",
    '',
    '@Component({',
    "  selector: 'app-chart',",
    '  schemas: [CUSTOM_ELEMENTS_SCHEMA],',
    '  template: `',
    ...indented(indented(tagLines(settings, facts, bound, attributes))),
    '  `,',
    ...(rule === '' ? [] : ['  styles: `', ...indented(indented(rule.split('\n'))), '  `,']),
    '})',
    ...(members.length === 0
      ? ['export class ChartComponent {}']
      : ['export class ChartComponent {', ...indented(members), '}']),
  ];
  return { text: lines.join('\n'), note: 'The schema allows custom elements in the template.' };
}

function afterEmptyLine(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

/** The properties that aren't options of `renderPulseCard()` or that the code passes differently. */
const NO_OPTIONS = new Set(['sourceId', 'dir']);

/** The lines that sign a token for one source on the portal's server. */
const SERVER_TOKEN = [
  '// A key of PULSE_TOKEN_KEYS_FILE.',
  "const key = { kid: 'portal-2026', secret: process.env.PORTAL_TOKEN_SECRET };",
  'const token = await mintToken(key, { audience: baseUrl, sources: [sourceId] });',
  'const headers = { Authorization: `Bearer ${token}` };',
];

/** The code for a server that runs JavaScript. */
export function serverCode(settings: Settings, facts: CodeFacts): Code {
  const { baseUrl, isPrivate } = facts;
  const { extraHeightEm } = settings.look;
  const options = valuesOf(settings, facts)
    .filter(({ property }) => !NO_OPTIONS.has(property))
    .map(({ property, value }) => {
      const option = property === 'lang' ? 'language' : property;
      return `${option}: ${typeof value === 'string' ? quoted(value) : value}`;
    });
  const extra = extraHeightEm === null ? [] : [`extraHeight: ${extraHeightEm}`];
  const style = styleLines(settings).join('\n');
  const lines = [
    ...(isPrivate ? ["import { mintToken } from '@pulse-card/token';"] : []),
    "import { renderPulseCard } from '@pulse-card/widget/server';",
    '',
    `const sourceId = ${quoted(settings.sourceId)};`,
    `const baseUrl = ${quoted(trimmed(baseUrl))};`,
    ...(isPrivate ? SERVER_TOKEN : []),
    `const response = await fetch(\`\${baseUrl}/v1/sources/\${sourceId}/pulse\`${isPrivate ? ', { headers }' : ''});`,
    '',
    '// For the body of the page, before and after scripts run.',
    `const card = renderPulseCard(await response.json(), { ${['sourceId', 'baseUrl', ...options, ...extra].join(', ')} });`,
    '// For its head, once.',
    `const script = ${quoted(scriptTag(settings, facts))};`,
    ...(isPrivate
      ? ['// For the end of its body.', `const tokens = \`${tokenLines(selectorOf(settings)).join('\n')}\`;`]
      : []),
    ...(style === '' ? [] : [`const style = \`${style}\`;`]),
  ];
  return {
    text: lines.join('\n'),
    note:
      valueOf(settings, 'loading') === 'click'
        ? 'Readers see the card’s name and, once the script has loaded, a button that shows the card.'
        : 'Readers see the card before any script runs. The script then makes the card interactive and keeps it up to date.',
  };
}
