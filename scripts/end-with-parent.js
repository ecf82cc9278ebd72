// Runs a program that ends when its parent ends: `node end-with-parent.js PROGRAM …`. It must be started in a separate
// process group, with an IPC channel. If the parent ends for any reason, the channel closes, and the whole group ends.
import { pathToFileURL } from 'node:url';

/** How long, in ms, processes can take to stop before they are killed. */
const KILL_AFTER_MS = 8_000;

process.channel?.unref();
process.once('disconnect', () => {
  signalGroup('SIGTERM');
  setTimeout(() => signalGroup('SIGKILL'), KILL_AFTER_MS).unref();
});

// The program gets the same command line as if it had been started directly.
process.argv.splice(1, 1);
await import(pathToFileURL(process.argv[1] ?? '').href);

/** @param {NodeJS.Signals} signal */
function signalGroup(signal) {
  // Windows has no process groups.
  process.kill(process.platform === 'win32' ? process.pid : 0, signal);
}
