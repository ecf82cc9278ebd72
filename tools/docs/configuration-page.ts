import { variableTable } from '../../packages/bff/src/config-variables.ts';
import { serveVariables } from '../../packages/service/src/config.ts';
import { code, markdownTable } from './markdown-table.ts';

const HEADS = ['variable', 'default', 'meaning'];

/** The page of variables, out of the schemas that read them. */
export function configurationPage(): string {
  const bff = variableTable().map(({ name, fallback, purpose }) => [code(name), code(fallback), purpose]);
  const service = Object.entries(serveVariables.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined).data;
    return [code(name), fallback === undefined ? '' : code(String(fallback)), schema.meta()?.description];
  });
  return [
    '# Configuration variables',
    'The servers read environment variables once, at start. An empty variable counts as unset. [Configure the BFF](../operate/configure.md) explains the choices.',
    '## BFF',
    markdownTable(HEADS, bff),
    'The BFF also refuses to start with `NODE_TLS_REJECT_UNAUTHORIZED=0`.',
    '## Service',
    markdownTable(HEADS, service),
  ].join('\n\n');
}
