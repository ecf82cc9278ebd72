import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configSchema, type VariableName } from '@pulse-card/bff/config';
import { serveVariables } from '@pulse-card/service/config';
import { ROOT } from '../run.ts';
import { code } from './markdown-table.ts';

/** The part of a Zod schema that this file uses. Its metadata describes everything about the variable. */
interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown };
  meta(): unknown;
}

interface Facts {
  /** @default the comment above the variable */
  readonly description?: string;
  readonly type: string;
  readonly range?: readonly [min: number, max: number];
  readonly fallback?: string;
  /** A valid value. */
  readonly example: string;
}

/** The variables that almost every BFF sets. */
const NEEDED: readonly VariableName[] = [
  'PULSE_API_KEY_FILE',
  'PULSE_BASE_URL',
  'PULSE_PUBLIC_URL',
  'PULSE_ALLOWED_ORIGINS',
  'TRUST_PROXY',
  'PULSE_STATE_DIR',
];

/** Variables that have a different meaning for another program. */
const OTHER_MEANINGS: Readonly<Record<'bff' | 'service', Readonly<Record<string, string>>>> = {
  bff: {
    PULSE_RATE_LIMIT: 'For the service, this variable is the number of calls that the service allows each key',
    PULSE_RATE_WINDOW_MS:
      'For the service, this variable is the length of the window in which the service counts calls',
  },
  service: {
    PULSE_DATA_DIR:
      'For `npm start`, this variable sets the folder for all data. In that case, the database is in its `service/` subfolder',
    PULSE_ADMIN_URL:
      'The BFF doesn’t have this variable. Its `PULSE_ADMIN_PORT` and `PULSE_ADMIN_HOST` configure the admin port',
    PULSE_RATE_LIMIT: 'For the BFF, this variable is the number of calls that the BFF may make',
    PULSE_RATE_WINDOW_MS:
      'For the BFF, this variable is the length of the window to which its `PULSE_RATE_LIMIT` applies',
  },
};

/** Returns the variables page, generated from the schemas of the variables. */
export function configurationPage(): string {
  const needed = NEEDED.map((name) => `[${code(name)}](#${name.toLowerCase()})`).join(', ');
  return [
    '# Configuration variables',
    'The servers read environment variables only when they start. An empty variable counts as unset. [Configure the BFF](../operate/configure.md) explains which variable to set for which purpose.',
    '## BFF',
    `Almost every BFF sets these six: ${needed}.`,
    'The names of the proxy variables can also be written in lower case. The BFF doesn’t start with `NODE_TLS_REJECT_UNAUTHORIZED=0`.',
    ...Object.entries(configSchema.shape).map(([name, schema]) => section(name, schema, OTHER_MEANINGS.bff[name])),
    '## Service',
    ...Object.entries(serveVariables.shape).map(([name, schema]) =>
      section(name, schema, OTHER_MEANINGS.service[name]),
    ),
  ].join('\n\n');
}

/** The comment above each BFF variable, as one line. */
function bffComments(): ReadonlyMap<string, string> {
  const source = readFileSync(join(ROOT, 'packages/bff/src/config/variables.ts'), 'utf8');
  const found = source.matchAll(/\/\*\*((?:(?!\*\/)[^])+)\*\/\s+([A-Z_]+):/g);
  return new Map(Array.from(found, ([, text = '', name = '']) => [name, text.replace(/\n\s+\*/g, '').trim()]));
}

const COMMENTS = bffComments();

function section(name: string, schema: Schema, note: string | undefined): string {
  const facts = schema.meta() as Facts;
  const { description = COMMENTS.get(name), type, range, example, fallback = fallbackOf(schema) } = facts;
  if (description === undefined) throw new Error(`Can’t document ${name}: it has no comment`);
  refuseWrongFacts(name, schema, facts);
  const lines = [
    `Type: ${type}`,
    range && `Range: ${range.map((bound) => bound.toLocaleString('en-US')).join(' to ')}`,
    fallback !== '' && `Default: ${code(fallback)}`,
    `Example: ${code(`${name}=${example}`)}`,
  ];
  const meaning = `${[description.replace(/\.$/, ''), note].filter((text) => text !== undefined).join('. ')}.`;
  const list = lines.filter((line) => typeof line === 'string').map((line) => `- ${line}`);
  return [`### ${name}`, meaning.replace(/\.\.$/, '.'), list.join('\n')].join('\n\n');
}

/** The default from the schema itself. An empty list counts as no default. */
function fallbackOf(schema: Schema): string {
  const { data } = schema.safeParse(undefined);
  return typeof data === 'string' || typeof data === 'number' ? String(data) : '';
}

/** Throws if an example is invalid, or if a range differs from the range that the schema allows. */
function refuseWrongFacts(name: string, schema: Schema, { range, example }: Facts): void {
  const isValid = (value: string | number): boolean => schema.safeParse(String(value)).success;
  if (!isValid(example)) throw new Error(`Can’t document ${name}: the example ${example} is not valid`);
  if (range === undefined) return;
  const [min, max] = range;
  if (!isValid(min) || !isValid(max) || isValid(min - 1) || isValid(max + 1))
    throw new Error(`Can’t document ${name}: its range is not ${min} to ${max}`);
}
