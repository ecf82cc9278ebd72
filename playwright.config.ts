import { join } from 'node:path';
import { defineConfig } from '@playwright/test';

const executablePath = process.env['PULSE_CHROMIUM_SHELL'] ?? process.env['PULSE_CHROMIUM'];

/** The files whose BFF or browser has other options. */
const UNUSUAL = [
  'follows-new-pulses',
  'frame-sizing',
  'hides-pulses-on-back',
  'looks',
  'shows-private-pulses',
  'watches-the-server',
  'withstands-an-outage',
].map((name) => `**/${name}.spec.ts`);

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: join(import.meta.dirname, 'e2e/stack/fill-service.ts'),
  outputDir: 'test-results',
  // A worker needs four seconds of CPU to start, with its browser and its stack (service, BFF, and host page). So the
  // usual files run in one worker. At the same time, the other files run in one worker for each kind of stack.
  workers: 2,
  projects: [
    { name: 'usual', testIgnore: UNUSUAL, workers: 1 },
    { name: 'unusual', testMatch: UNUSUAL, workers: 1 },
  ],
  fullyParallel: false,
  // A test that hangs fails after two minutes.
  timeout: 120_000,
  forbidOnly: process.env['CI'] !== undefined,
  // In CI, a failed test runs once more, because the machine might have been too busy. The report then calls it flaky.
  // In a manual run, and for the long tests, nothing is retried.
  retries: process.env['CI'] === undefined || process.env['PULSE_TEST_LONG'] !== undefined ? 0 : 1,
  // All machines use the same screenshots, because the tests provide the fonts, the time, and the responses.
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  expect: {
    timeout: 60_000,
    toMatchSnapshot: {
      // A hairline border in a different gray is a difference. A line with different antialiasing isn't.
      threshold: 0.05,
      // These differences were measured in the screenshot of the states at 320 px: 0.31% between Chromium 147 and 156,
      // 0.62% for a lost border, and 1.2% for a sentence that is 2 px lower. The positions and colors of small parts
      // are also compared as text, without tolerance. Systems other than Linux draw letters with a different weight.
      maxDiffPixelRatio: process.platform === 'linux' ? 0.0045 : 0.03,
    },
  },
  reporter: [['list'], ['html', { open: 'never' }]],
  use: {
    browserName: 'chromium',
    // A trace takes a sixth of the time, so it is recorded only when a test is retried. The long tests aren't retried,
    // so they always record a trace and keep it after a failure.
    trace: process.env['PULSE_TEST_LONG'] === undefined ? 'on-first-retry' : 'retain-on-failure',
    launchOptions: {
      args: ['--no-sandbox', '--disable-background-networking'],
      ...(executablePath === undefined ? {} : { executablePath }),
    },
  },
});
