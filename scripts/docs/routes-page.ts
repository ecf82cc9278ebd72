import { descriptionOf } from '../../packages/bff/describe.ts';
import { code, markdownTable } from './markdown-table.ts';

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses?: object;
}

/** The page of routes, out of the OpenAPI description. */
export function routesPage(): string {
  const { paths = {} } = descriptionOf({ access: 'token' });
  const rows = Object.entries(paths as Record<string, { readonly get: Operation }>).map(([path, { get }]) => {
    const { summary, parameters = [], responses = {} } = get;
    const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => code(name));
    return [code(path), summary, query.join(' '), Object.keys(responses).join(' ')];
  });
  return [
    '# Routes of the BFF',
    'All routes take `GET`, `HEAD` and `OPTIONS`. Query parameters that are not listed are ignored. 401 is sent only with `PULSE_ACCESS=token`. `/v1/openapi.yaml` of a running BFF has the schemas, and [HTTP behaviour](../operate/proxy.md#what-the-headers-say) the headers.',
    markdownTable(['path', 'purpose', 'query', 'statuses'], rows),
  ].join('\n\n');
}
