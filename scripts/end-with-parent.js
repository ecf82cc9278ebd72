// Preloaded (`node --import`) into programs that run in a process group of their own, with an IPC channel to their parent.
// The channel closes when the parent ends, however it ends; then the whole group ends, too.

/** What has not stopped by then is killed, in ms. */
const KILL_AFTER_MS = 8_000;

process.channel?.unref();
process.once('disconnect', () => {
  signalGroup('SIGTERM');
  setTimeout(() => signalGroup('SIGKILL'), KILL_AFTER_MS).unref();
});

/** @param {NodeJS.Signals} signal */
function signalGroup(signal) {
  // Windows has no process groups.
  process.kill(process.platform === 'win32' ? process.pid : 0, signal);
}
