// Writes the parts of the reference that are generated from the code into docs/.cache/reference/, for the pages that
// include them: the JavaScript API, the help of each command, and the table of metrics. Needs a build.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { SERVICE_KEY, startFakeService } from '@pulse-card/testkit/service/fake-service';
import { until } from '@pulse-card/testkit/until';
import { javascriptApi } from './javascript-api.ts';

const DOCS = dirname(import.meta.dirname);
const CACHE = join(DOCS, '.cache');
const REFERENCE = join(CACHE, 'reference');

mkdirSync(REFERENCE, { recursive: true });
write('javascript', await javascriptApi(join(CACHE, 'typedoc')));
write('metrics', await metricsTable());
const commandsPage = readFileSync(join(DOCS, 'reference/commands.md'), 'utf8');
for (const [, name = ''] of commandsPage.matchAll(/<!--@include: [^>]*\/reference\/(pulse-[\w-]+)\.md-->/g))
  write(name, helpOf(name));

function write(name: string, text: string): void {
  writeFileSync(join(REFERENCE, `${name}.md`), `${text.trim()}\n`);
}

/** The help for a command, such as `pulse-bff-token-mint`, without the lines that all commands share. */
function helpOf(name: string): string {
  const [, folder = '', ...command] = name.split('-');
  const env = { PATH: process.env['PATH'], COLUMNS: '100', NO_COLOR: '1' };
  const main = join(DOCS, '../packages', folder, 'dist/main.js');
  const args = [main, ...command, '--help'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`Can’t read the help of ${name}: ${stderr}`);
  const help = stdout
    // The variables have their own page.
    .replace(/\nEnvironment:\n[^]*/, '')
    .replaceAll(/ {2}-h, --help .*\n?/g, '')
    .replace(/\nOptions:\n(?=\n|$)/, '');
  return `\`\`\`text\n${help.trimEnd()}\n\`\`\``;
}

/** The metrics of a BFF with every feature that has metrics. */
async function metricsTable(): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(mkdtempDisposableSync(join(tmpdir(), 'pulse-metrics-')));
  const upstream = await startFakeService({ sources: 1 });
  stack.defer(() => upstream.close());
  const env = {
    PULSE_API_KEY_FILE: join(folder.path, 'key'),
    PULSE_STATE_DIR: folder.path,
    // No Redis is needed to list its metrics.
    REDIS_URL: 'redis://127.0.0.1:9',
  };
  writeFileSync(env.PULSE_API_KEY_FILE, SERVICE_KEY);
  const bff = await BffProcess.start({ upstream, env });
  stack.defer(() => bff.stop());
  // A counter shows its labels only after it has counted something.
  await until('the service is called', async () => (await fetch(`${bff.url}/v1/sources/${upstream.ids[0]}/pulse`)).ok);
  const text = await (await fetch(`${bff.adminUrl}/metrics`)).text();
  const rows = text.matchAll(/^# HELP (pulse_bff_\w+) (.+)\n# TYPE \S+ (\S+)(?:\n\w+\{([^}]*)\})?/gm);
  const lines = Array.from(rows, ([, name, meaning, type, labels = '']) => {
    const names = Array.from(labels.matchAll(/(\w+)="/g), ([, label]) => `\`${label}\``).filter(
      (one) => one !== '`le`',
    );
    return `| \`${name}\` | ${type} | ${names.join(' ')} | ${meaning} |`;
  });
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...lines].join('\n');
}
