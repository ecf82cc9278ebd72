import { existsSync } from 'node:fs';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { defaultReporter, summaryReporter } from '@web/test-runner';
import { playwrightLauncher } from '@web/test-runner-playwright';
import { freePort } from '../testkit/src/free-port.ts';
import { oldestBrowserScript } from './src/testing/newer-apis.ts';
import { stubBff } from './src/testing/stub-bff.ts';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';
const { PULSE_CHROMIUM_SHELL, PULSE_CHROMIUM } = process.env;
const chromium = PULSE_CHROMIUM_SHELL ?? PULSE_CHROMIUM ?? (existsSync(SYSTEM_CHROMIUM) ? SYSTEM_CHROMIUM : undefined);

/** `PULSE_PROPERTY_SEED` selects the random cases. Without it, every run has the same cases. */
function propertySeedScript() {
  return `<script>propertySeed = ${Number(process.env['PULSE_PROPERTY_SEED'] ?? 1)}</script>`;
}

/** Tests the card in Chromium, using the built file that readers get. */
export default {
  rootDir: import.meta.dirname,
  files: 'src/testing/**/*.browser.ts',
  port: await freePort(),
  nodeResolve: { exportConditions: ['source', 'production', 'default'] },
  middleware: [stubBff],
  plugins: [esbuildPlugin({ ts: true, target: 'esnext' })],
  reporters: [summaryReporter(), defaultReporter({ reportTestResults: false, reportTestProgress: true })],
  concurrency: 1,
  testsFinishTimeout: 600_000,
  // The card must not use an API that the oldest supported browsers lack.
  testRunnerHtml: (framework) =>
    `<!doctype html><body>${oldestBrowserScript()}${propertySeedScript()}<script type="module" src="${framework}"></script></body>`,
  // A test that hangs fails after two minutes.
  testFramework: { config: { timeout: 120_000 } },
  browsers: [
    playwrightLauncher({
      product: 'chromium',
      launchOptions: {
        ...(chromium ? { executablePath: chromium } : {}),
        args: ['--no-sandbox', '--disable-background-networking', '--js-flags=--expose-gc'],
      },
    }),
  ],
};
