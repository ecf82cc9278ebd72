// Loaded before each Node test file, by `npm test` and by each package's `test` script.
import fc from 'fast-check';

/** The maximum time of a test file, in ms. A single test has a separate limit: `--test-timeout`. */
const FILE_TIMEOUT_MS = process.env['PULSE_TEST_LONG'] === undefined ? 900_000 : 3_600_000;

// `PULSE_PROPERTY_SEED` selects the random cases. Without it, every run has the same cases.
fc.configureGlobal({ seed: Number(process.env['PULSE_PROPERTY_SEED'] ?? 1) });

// Ends a process that doesn't end on its own. The timer itself doesn't keep the process alive.
setTimeout(() => {
  console.error(
    `Stopped after ${FILE_TIMEOUT_MS / 1_000} s. Still open: ${process.getActiveResourcesInfo().join(', ')}`,
  );
  process.exit(1);
}, FILE_TIMEOUT_MS).unref();

// `--test-force-exit` drops what is still in the buffer of standard output, so on a busy machine the results of some
// tests would be lost. A blocking pipe has no such buffer.
const { _handle: pipe } = process.stdout as { _handle?: { setBlocking?: (isBlocking: boolean) => void } };
pipe?.setBlocking?.(true);
