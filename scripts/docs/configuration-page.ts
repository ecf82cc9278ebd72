import { configSchema, factsOf, type VariableName } from '../../packages/bff/src/config.ts';
import { serveVariables } from '../../packages/service/src/config.ts';
import { code } from './markdown-table.ts';

/** The part of a zod schema that this file uses. */
interface Schema {
  safeParse(value: unknown): { readonly success: boolean };
}

/** The type of a variable's value, its range if it is a number, and a value that is valid. */
interface Facts {
  readonly type: string;
  readonly range?: readonly [min: number, max: number];
  readonly example: string;
}

const MS = 'whole number, in ms';

const SERVICE: Readonly<Record<keyof typeof serveVariables.shape, Facts>> = {
  PULSE_DATA_DIR: { type: 'path of a folder', example: '/var/lib/pulse-service' },
  DATABASE_URL: { type: 'address', example: 'postgres://user:password@db:5432/pulse' },
  HOST: { type: 'IP address or host name', example: '127.0.0.1' },
  PORT: { type: 'port', range: [0, 65_535], example: '4010' },
  ALT_PORT: { type: 'port', range: [0, 65_535], example: '4011' },
  PUBLIC_URL: { type: 'address', example: 'https://api.example.com' },
  PULSE_ADMIN_URL: { type: 'address', example: 'https://dashboard.example.com' },
  PULSE_RATE_LIMIT: { type: 'whole number of calls', range: [1, 10_000], example: '60' },
  PULSE_RATE_WINDOW_MS: { type: MS, range: [100, 3_600_000], example: '60000' },
  TRUST_PROXY: { type: 'a number of proxies, or CIDR ranges, comma-separated', example: '1' },
  LOG_LEVEL: {
    type: '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, or `silent`',
    example: 'debug',
  },
};

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
      'For `npm start`, this variable sets the folder for all data. The database is then in its `service/` subfolder',
    PULSE_ADMIN_URL:
      'The BFF doesn’t have this variable. Its `PULSE_ADMIN_PORT` and `PULSE_ADMIN_HOST` configure the admin port',
    PULSE_RATE_LIMIT: 'For the BFF, this variable is the number of calls that the BFF may make',
    PULSE_RATE_WINDOW_MS:
      'For the BFF, this variable is the length of the window to which its `PULSE_RATE_LIMIT` applies',
  },
};

/** Returns the variables page, generated from the schemas of the variables. */
export function configurationPage(): string {
  const bff = Object.entries(configSchema.shape).map(([name, schema]) => {
    const facts = factsOf(name as VariableName);
    const { description: purpose, fallback = '' } = facts;
    return section({ name, fallback, purpose, note: OTHER_MEANINGS.bff[name], schema, facts });
  });
  const service = Object.entries(serveVariables.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined).data;
    return section({
      name,
      fallback: fallback === undefined ? '' : String(fallback),
      purpose: schema.meta()?.description ?? '',
      note: OTHER_MEANINGS.service[name],
      schema,
      facts: SERVICE[name as keyof typeof SERVICE],
    });
  });
  const needed = NEEDED.map((name) => `[${code(name)}](#${name.toLowerCase()})`).join(', ');
  return [
    '# Configuration variables',
    'The servers read environment variables only when they start. An empty variable counts as unset. [Configure the BFF](../operate/configure.md) explains which variable to set for which purpose.',
    '## BFF',
    `Almost every BFF sets these six: ${needed}.`,
    'Calls to the service and to the webhook go through the proxies that `HTTPS_PROXY`, `HTTP_PROXY`, and `NO_PROXY` name, in either case. The BFF doesn’t start with `NODE_TLS_REJECT_UNAUTHORIZED=0`.',
    ...bff,
    '## Service',
    ...service,
  ].join('\n\n');
}

interface Variable {
  readonly name: string;
  readonly fallback: string;
  readonly purpose: string;
  readonly note: string | undefined;
  readonly schema: Schema;
  readonly facts: Facts;
}

function section({ name, fallback, purpose, note, schema, facts }: Variable): string {
  refuseWrongFacts(name, schema, facts);
  const { type, range, example } = facts;
  const lines = [
    `Type: ${type}`,
    range && `Range: ${range.map((bound) => bound.toLocaleString('en-US')).join(' to ')}`,
    fallback !== '' && `Default: ${code(fallback)}`,
    `Example: ${code(`${name}=${example}`)}`,
  ];
  const meaning = `${[purpose, note].filter((text) => text !== undefined && text !== '').join('. ')}.`;
  const list = lines.filter((line) => typeof line === 'string').map((line) => `- ${line}`);
  return [`### ${name}`, meaning.replace(/\.\.$/, '.'), list.join('\n')].join('\n\n');
}

/** Throws if an example is invalid, or if a range differs from the range that the schema allows. */
function refuseWrongFacts(name: string, schema: Schema, { range, example }: Facts): void {
  const isValid = (value: string | number): boolean => schema.safeParse(String(value)).success;
  if (!isValid(example)) throw new Error(`Cannot document ${name}: the example ${example} is not valid`);
  if (range === undefined) return;
  const [min, max] = range;
  if (!isValid(min) || !isValid(max) || isValid(min - 1) || isValid(max + 1))
    throw new Error(`Cannot document ${name}: its range is not ${min} to ${max}`);
}
