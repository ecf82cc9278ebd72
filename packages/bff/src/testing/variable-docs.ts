import { variableTable } from '../config.ts';

/** The table of variables as Markdown, as it stands in the README. */
export function variableDocs(): string {
  const rows = variableTable().map(
    ({ name, fallback, purpose }) => `| \`${name}\` | ${displayed(fallback)} | ${purpose} |`,
  );
  return ['| variable | default | |', '|---|---|---|', ...rows].join('\n');
}

function displayed(fallback: string): string {
  return fallback === '' ? '' : `\`${fallback}\``;
}
