import { join } from 'node:path';
import { buildSteps } from './build-steps.ts';
import { ROOT } from './run.ts';
import { BROWSER_VARIABLE, provideBrowser } from './setup/browser.ts';
import { NGINX_VARIABLE, provideNginx, provideVarnish, VARNISH_VARIABLE } from './setup/fronts.ts';
import { provideRedis, REDIS_VARIABLE } from './setup/redis.ts';
import { nodeStep, reportFailures, runSteps, type Step } from './steps.ts';

const browser = await provideBrowser();
const redis = await provideRedis();
const nginx = await provideNginx();
const varnish = await provideVarnish();
const env = {
  ...(browser === undefined ? {} : { [BROWSER_VARIABLE]: browser }),
  ...(redis === undefined ? {} : { [REDIS_VARIABLE]: redis }),
  ...(nginx === undefined ? {} : { [NGINX_VARIABLE]: nginx }),
  ...(varnish === undefined ? {} : { [VARNISH_VARIABLE]: varnish }),
};

const failures = await runSteps([
  ...buildSteps(),
  ...nodeTests(),
  ...frontTests(),
  ...(browser === undefined ? [] : browserTests()),
]);
reportFailures('Tests', [...failures, ...leftOut().map((reason) => ({ title: 'left out', reason }))]);

function nodeTests(): Step[] {
  const suites: [title: string, ...patterns: string[]][] = [
    ['contract', 'packages/contract/src/**/*.test.ts'],
    ['service', 'packages/service/src/**/*.test.ts'],
    ['bff', 'packages/bff/src/**/*.test.ts'],
    ['widget, its pure parts', 'packages/widget/src/**/*.test.ts', 'packages/widget/build/**/*.test.ts'],
    ['demo data', 'demo/**/*.test.ts'],
    ['simulator', 'bench/**/*.test.ts'],
    ['scripts', 'scripts/**/*.test.ts'],
  ];
  return suites.map(([title, ...patterns]) => nodeStep(`tests: ${title}`, ['--test', ...patterns], { env }));
}

function frontTests(): Step[] {
  if (nginx === undefined || varnish === undefined) return [];
  return [nodeStep('tests: caches in front of the BFF', ['--test', 'deploy/**/*.test.ts'], { env })];
}

function browserTests(): Step[] {
  const widget = join(ROOT, 'packages/widget');
  return [
    nodeStep('tests: widget, in a browser', [join(widget, 'node_modules/@web/test-runner/dist/bin.js')], {
      cwd: widget,
      env,
    }),
    nodeStep('tests: end to end', [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'test'], { env }),
  ];
}

/** Says in a line what could not be run here; under CI that is a failure. */
function leftOut(): string[] {
  const lines = [
    ...(browser === undefined
      ? [
          `left out: all tests in a browser (no Chromium found, downloaded or installed; name one in ${BROWSER_VARIABLE})`,
        ]
      : []),
    ...(redis === undefined ? ['left out: the Redis server (neither found nor installed)'] : []),
    ...(nginx === undefined || varnish === undefined
      ? ['left out: the tests of caches in front (nginx or Varnish neither found nor installed)']
      : []),
  ];
  for (const line of lines) console.error(line);
  return process.env['CI'] === undefined ? [] : lines;
}
