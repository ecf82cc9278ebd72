import { existsSync } from 'node:fs';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { defaultReporter, summaryReporter } from '@web/test-runner';
import {
  emulateMediaPlugin,
  sendKeysPlugin,
  sendMousePlugin,
  setViewportPlugin,
} from '@web/test-runner-commands/plugins';
import { playwrightLauncher } from '@web/test-runner-playwright';
import { freePort } from '../../scripts/free-port.ts';
import { stubBff } from './src/testing/stub-bff.ts';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';
const chromium = process.env['PULSE_CHROMIUM'] ?? (existsSync(SYSTEM_CHROMIUM) ? SYSTEM_CHROMIUM : undefined);

/** Tests the card in a real browser, with the built file that readers get. */
export default {
  rootDir: import.meta.dirname,
  files: 'src/testing/**/*.browser.ts',
  port: await freePort(),
  nodeResolve: { exportConditions: ['source', 'production', 'default'] },
  middleware: [stubBff],
  plugins: [
    esbuildPlugin({ ts: true, target: 'esnext' }),
    emulateMediaPlugin(),
    setViewportPlugin(),
    sendKeysPlugin(),
    sendMousePlugin(),
  ],
  reporters: [summaryReporter(), defaultReporter({ reportTestResults: false, reportTestProgress: true })],
  concurrency: 1,
  testsFinishTimeout: 300_000,
  testFramework: { config: { timeout: 60_000 } },
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
