import { openControl } from './control.ts';
import { startUpstream, type UpstreamOptions } from './recording-upstream.ts';

// `node --conditions=source packages/testkit/src/service/main.ts '{"sources":200}'` simulates the service until it is stopped.
const options = JSON.parse(process.argv[2] ?? '{}') as UpstreamOptions & { controlPort?: number };
const upstream = await startUpstream(options);
const { url, server } = await openControl(upstream, options.controlPort ?? 0);
console.log(JSON.stringify({ ready: true, control: url, ...upstream.urls }));

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void upstream.close();
});
