import { declarationsOf } from '../theme/look.ts';
import type { Code, CodeFacts } from './code-facts.ts';
import { camelCase, indented, jsxText, quoted, trimmed } from './code-text.ts';
import type { Settings } from './settings.ts';
import { propertiesOf, scriptTag, styleLines, tagLines } from './tag-attributes.ts';
import { FETCH_TOKEN, SERVER_TOKEN, tokenScript } from './token-code.ts';

export function reactCode(settings: Settings, facts: CodeFacts): Code {
  const { baseUrl, isPrivate } = facts;
  const style = declarationsOf(settings.look, settings.theme).map(
    ([property, value]) => `'${camelCase(property)}': ${quoted(value)}`,
  );
  const [source = '', ...others] = propertiesOf(settings, facts).map(([name, value]) => {
    if (value === true) return name;
    return `${name}=${typeof value === 'number' ? `{${value}}` : jsxText(value)}`;
  });
  const props = [
    source,
    `baseUrl=${jsxText(baseUrl)}`,
    ...others,
    ...(isPrivate ? ['tokenProvider={fetchToken}'] : []),
    ...(style.length === 0 ? [] : [`style={{ ${style.join(', ')} }}`]),
  ];
  const text = [
    "import { PulseCard } from '@pulse-card/widget/react';",
    '',
    ...(isPrivate ? [...FETCH_TOKEN, ''] : []),
    'export function Chart() {',
    '  return (',
    '    <PulseCard',
    ...props.map((prop) => `      ${prop}`),
    '    />',
    '  );',
    '}',
  ].join('\n');
  return {
    text,
    note: 'The package includes types. The card is a custom element, so its styles don’t mix with those of your page.',
  };
}

export function vueCode(settings: Settings, facts: CodeFacts): Code {
  const { isPrivate } = facts;
  const text = [
    '<script setup>',
    "import '@pulse-card/widget';",
    ...(isPrivate ? ['', ...FETCH_TOKEN] : []),
    '</script>',
    '',
    '<template>',
    ...tagLines(settings, facts, isPrivate ? ['.tokenProvider="fetchToken"'] : []).map((line) => `  ${line}`),
    '</template>',
  ].join('\n');
  return {
    text,
    note: "Tell the Vue compiler which tags are custom elements: isCustomElement: (tag) => tag.startsWith('pulse-').",
  };
}

export function svelteCode(settings: Settings, facts: CodeFacts): Code {
  const { isPrivate } = facts;
  const text = [
    '<script>',
    "  import '@pulse-card/widget';",
    ...(isPrivate ? ['', ...indented(FETCH_TOKEN)] : []),
    '</script>',
    '',
    ...tagLines(settings, facts, isPrivate ? ['tokenProvider={fetchToken}'] : []),
  ].join('\n');
  return { text, note: 'Svelte sets properties of elements automatically. No configuration is needed.' };
}

/** The properties that aren't options of `renderPulseCard()`, or that the code passes in another way. */
const NO_OPTIONS = new Set(['sourceId', 'dir']);

export function serverCode(settings: Settings, facts: CodeFacts): Code {
  const { baseUrl, isPrivate } = facts;
  const { sourceId, loading } = settings;
  const options = propertiesOf(settings, facts)
    .filter(([name]) => !NO_OPTIONS.has(name))
    .map(([name, value]) => {
      const option = name === 'lang' ? 'language' : name;
      return `${option}: ${typeof value === 'string' ? quoted(value) : value}`;
    });
  const script = scriptTag(settings, facts);
  const style = styleLines(settings).join('\n');
  const text = [
    ...(isPrivate ? ["import { mintToken } from '@pulse-card/token';"] : []),
    "import { renderPulseCard } from '@pulse-card/widget/server';",
    '',
    `const sourceId = ${quoted(sourceId)};`,
    `const baseUrl = ${quoted(trimmed(baseUrl))};`,
    ...(isPrivate ? SERVER_TOKEN : []),
    `const response = await fetch(\`\${baseUrl}/v1/sources/\${sourceId}/pulse\`${isPrivate ? ', { headers }' : ''});`,
    '',
    '// For the body of the page, before and after scripts run.',
    `const card = renderPulseCard(await response.json(), { ${['sourceId', 'baseUrl', ...options].join(', ')} });`,
    '// For its head, once.',
    `const script = ${quoted(script)};`,
    ...(isPrivate
      ? ['// For the end of its body.', `const tokens = \`${tokenScript(settings, true).join('\n')}\`;`]
      : []),
    ...(style === '' ? [] : [`const style = \`${style}\`;`]),
  ].join('\n');
  return {
    text,
    note:
      loading === 'click'
        ? 'Readers see the card’s name, and after the script has loaded, a button that shows the card.'
        : 'Readers see the card before any script runs. The script then takes over the card and keeps it up to date.',
  };
}
