import { declarationsOf } from '../theme/look.ts';
import type { Code, CodeFacts } from './code-facts.ts';
import { camelCase, indented, jsxText, quoted, trimmed } from './code-text.ts';
import { directionOf } from './languages.ts';
import type { Settings } from './settings.ts';
import { reviewOf, scriptTag, styleLines, tagLines } from './tag-attributes.ts';
import { FETCH_TOKEN, SERVER_TOKEN, tokenScript } from './token-code.ts';

export function reactCode(settings: Settings, { baseUrl, isPrivate, run }: CodeFacts): Code {
  const { sourceId, variant, open, live, history, actions } = settings;
  const { label, headingLevel, loading, theme, chartTheme, language, look } = settings;
  const style = declarationsOf(look, theme).map(([property, value]) => `'${camelCase(property)}': ${quoted(value)}`);
  const props = [
    `sourceId=${jsxText(sourceId)}`,
    `baseUrl=${jsxText(baseUrl)}`,
    ...(variant === 'card' ? [] : [`variant="${variant}"`]),
    ...(label === '' ? [] : [`label=${jsxText(label)}`]),
    ...(open ? ['open'] : []),
    ...(live ? ['live'] : []),
    ...(history ? ['history'] : []),
    ...(actions === '' ? [] : [`actions="${actions}"`]),
    ...(headingLevel === 3 ? [] : [`headingLevel={${headingLevel}}`]),
    ...(loading === 'lazy' ? [] : [`loading="${loading}"`]),
    ...(theme === 'auto' ? [] : [`theme="${theme}"`]),
    ...(chartTheme === 'light' ? [] : [`chartTheme="${chartTheme}"`]),
    ...Object.entries(reviewOf(settings, { run })).map(([name, value]) => `${name}=${jsxText(value)}`),
    ...(language === '' ? [] : [`lang="${language}"`, `dir="${directionOf(language)}"`]),
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

export function serverCode(settings: Settings, { baseUrl, isPrivate, pinned, run }: CodeFacts): Code {
  const { sourceId, variant, theme, chartTheme, headingLevel, open, live, history, actions } = settings;
  const { label, loading, language } = settings;
  const options = [
    'sourceId',
    'baseUrl',
    ...(variant === 'card' ? [] : [`variant: '${variant}'`]),
    ...(theme === 'auto' ? [] : [`theme: '${theme}'`]),
    ...(chartTheme === 'light' ? [] : [`chartTheme: '${chartTheme}'`]),
    ...(headingLevel === 3 ? [] : [`headingLevel: ${headingLevel}`]),
    ...(open ? ['open: true'] : []),
    ...(live ? ['live: true'] : []),
    ...(history ? ['history: true'] : []),
    ...(actions === '' ? [] : [`actions: '${actions}'`]),
    ...(loading === 'lazy' ? [] : [`loading: '${loading}'`]),
    ...(label === '' ? [] : [`label: ${quoted(label)}`]),
    ...Object.entries(reviewOf(settings, { run })).map(([name, value]) => `${name}: ${quoted(value)}`),
    ...(language === '' ? [] : [`language: '${language}'`]),
  ];
  const script = scriptTag(settings, { baseUrl, pinned });
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
    `const card = renderPulseCard(await response.json(), { ${options.join(', ')} });`,
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
        ? 'Readers see the name of the card, and after the script has loaded, a button that shows the card.'
        : 'Readers see the card before any script runs. The script then takes over the card and keeps it up to date.',
  };
}
