import { variableTable } from '../../packages/bff/src/config/variables.ts';
import { serveVariables } from '../../packages/service/src/config.ts';
import { code, markdownTable } from './markdown-table.ts';

const HEADS = ['variable', 'default', 'meaning'];

/** The variables that every BFF is started with. */
const NEEDED: ReadonlySet<string> = new Set([
  'PULSE_API_KEY_FILE',
  'PULSE_BASE_URL',
  'PULSE_PUBLIC_URL',
  'PULSE_ALLOWED_ORIGINS',
  'TRUST_PROXY',
  'PULSE_STATE_DIR',
]);

/** Names that mean something else to another program. */
const OTHER_MEANINGS: Readonly<Record<'bff' | 'service', Readonly<Record<string, string>>>> = {
  bff: {
    PULSE_RATE_LIMIT: 'To the service: what it grants a key',
    PULSE_RATE_WINDOW_MS: 'To the service: the window in which it counts',
  },
  service: {
    PULSE_DATA_DIR: 'To `npm start`: the folder of all its data, in which the database is `service/`',
    PULSE_ADMIN_URL: 'The BFF has no such variable; `PULSE_ADMIN_PORT` and `PULSE_ADMIN_HOST` are its private port',
    PULSE_RATE_LIMIT: 'To the BFF: what it may spend',
    PULSE_RATE_WINDOW_MS: 'To the BFF: the window in which it spends',
  },
};

/** The page of variables, out of the schemas that read them. */
export function configurationPage(): string {
  const bffRows = (isNeeded: boolean) =>
    variableTable()
      .filter(({ name }) => NEEDED.has(name) === isNeeded)
      .map(({ name, fallback, purpose }) => [code(name), code(fallback), withNote(purpose, OTHER_MEANINGS.bff[name])]);
  const service = Object.entries(serveVariables.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined).data;
    const meaning = withNote(schema.meta()?.description, OTHER_MEANINGS.service[name]);
    return [code(name), fallback === undefined ? '' : code(String(fallback)), meaning];
  });
  return [
    '# Configuration variables',
    'The servers read environment variables once, at start. An empty variable counts as unset. [Configure the BFF](../operate/configure.md) explains the choices.',
    '## BFF',
    'Six that almost every BFF sets:',
    markdownTable(HEADS, bffRows(true)),
    'The rest:',
    markdownTable(HEADS, bffRows(false)),
    'The BFF also refuses to start with `NODE_TLS_REJECT_UNAUTHORIZED=0`.',
    '## Service',
    markdownTable(HEADS, service),
  ].join('\n\n');
}

function withNote(meaning: string | undefined, note: string | undefined): string | undefined {
  return note === undefined ? meaning : `${meaning}. ${note}`;
}
