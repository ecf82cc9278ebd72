import widgetConfig from '@pulse-card/widget/web-test-runner';
import { chromeLauncher } from '@web/test-runner';
import { findFirefox, QUIET } from './firefox.ts';
import { WebKitLauncher } from './webkit-launcher.ts';

/** The browser launchers, keyed by their name in `PULSE_TEST_BROWSER`. */
const LAUNCHERS = {
  firefox: () =>
    Object.assign(
      chromeLauncher({
        concurrency: 1,
        launchOptions: { browser: 'firefox', executablePath: findFirefox(), extraPrefsFirefox: QUIET },
      }),
      { name: 'Firefox' },
    ),
  webkit: () => new WebKitLauncher(),
};

/** Runs the tests of the card in Firefox or WebKitGTK instead of Chromium. */
export default { ...widgetConfig, browsers: [LAUNCHERS[process.env['PULSE_TEST_BROWSER']]()] };
