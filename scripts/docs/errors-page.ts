import { ERROR_STATUS } from '../../packages/contract/src/index.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Codes that the elements make themselves, in `pulse-error`. */
export const ELEMENT_CODES = ['network', 'timeout', 'invalid_answer', 'signed_out'] as const;

/** The page of codes, out of the closed list of the contract. */
export function errorsPage(): string {
  const link = (name: string): string => `[cause and fix](../operate/troubleshoot.md#${name})`;
  return [
    '# Error codes',
    'An error of the BFF is `{ "success": false, "error": "…", "code": "…" }` with `Cache-Control: no-store`. Only a 404 of a pulse, a batch, the list, earlier runs, or a feed may be cached, for 30 seconds at most. An error that is worth a retry has `Retry-After`, 1 to 300 seconds. Status 408 and 431 have no body, and 501 has no code.',
    markdownTable(
      ['code', 'status', ''],
      Object.entries(ERROR_STATUS).map(([name, status]) => [code(name), String(status), link(name)]),
    ),
    'The elements add four codes to `pulse-error`:',
    markdownTable(
      ['code', ''],
      ELEMENT_CODES.map((name) => [code(name), link(name)]),
    ),
  ].join('\n\n');
}
