import { defineConfig } from '@playwright/test';

const executablePath = process.env['PULSE_CHROMIUM'];

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  // Each worker has a whole stack of its own (service, BFF, host page), so two fit on two cores.
  workers: 2,
  fullyParallel: false,
  // A hang is named within a minute.
  timeout: 60_000,
  forbidOnly: process.env['CI'] !== undefined,
  // Once more if a machine was too busy for a test: the report names it flaky. By hand, and among the long
  // tests, a failure is a failure.
  retries: process.env['CI'] === undefined || process.env['PULSE_TEST_LONG'] !== undefined ? 0 : 1,
  // One set of pictures for every machine: fonts, time and answers are the tests' own.
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  expect: {
    timeout: 30_000,
    toHaveScreenshot: {
      animations: 'disabled',
      // So low that a hairline border in another gray counts; what is only smoothed otherwise does not.
      threshold: 0.05,
      // Measured on the states at 320 px: Chromium 147 and 156 differ by 0.31 %, a lost border by 0.62 %, a sentence
      // 2 px lower by 1.2 %. The positions and colors of small parts are also compared as text, without tolerance.
      // Systems other than Linux draw letters with a different weight.
      maxDiffPixelRatio: process.platform === 'linux' ? 0.0045 : 0.03,
    },
  },
  reporter: [['list'], ['html', { open: 'never' }]],
  use: {
    browserName: 'chromium',
    // A trace takes a sixth of the time: only a second run has one, and the long tests, which have no second run.
    trace: process.env['PULSE_TEST_LONG'] === undefined ? 'on-first-retry' : 'retain-on-failure',
    launchOptions: {
      args: ['--no-sandbox', '--disable-background-networking'],
      ...(executablePath === undefined ? {} : { executablePath }),
    },
  },
});
