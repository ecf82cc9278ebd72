import { defineConfig } from '@playwright/test';

const executablePath = process.env['PULSE_CHROMIUM'];

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  // Each worker has a whole stack of its own (service, BFF, host page), so two fit on two cores.
  workers: 2,
  fullyParallel: false,
  forbidOnly: process.env['CI'] !== undefined,
  retries: 0,
  reporter: [['list'], ['html', { open: 'never' }]],
  use: {
    browserName: 'chromium',
    trace: 'retain-on-failure',
    launchOptions: {
      args: ['--no-sandbox', '--disable-background-networking'],
      ...(executablePath === undefined ? {} : { executablePath }),
    },
  },
});
