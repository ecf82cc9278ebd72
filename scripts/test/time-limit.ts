/** The maximum time of a test file, in ms. A single test has a separate limit: `TEST_TIMEOUT_MS`. */
const FILE_TIMEOUT_MS = process.env['PULSE_TEST_LONG'] === undefined ? 300_000 : 3_600_000;

// This module is loaded into each test process. The timer ends a process that doesn't end on its own. The timer itself
// doesn't keep the process alive.
setTimeout(() => {
  console.error(
    `Stopped after ${FILE_TIMEOUT_MS / 1_000} s. Still open: ${process.getActiveResourcesInfo().join(', ')}`,
  );
  process.exit(1);
}, FILE_TIMEOUT_MS).unref();
