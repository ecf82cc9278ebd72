import { openControl } from './control.ts';
import { type FakeServiceOptions, startFakeService } from './fake-service.ts';

// `node --conditions=source packages/testkit/src/service/main.ts '{"sources":200}'` runs the fake service until it is stopped.
const options = JSON.parse(process.argv[2] ?? '{}') as FakeServiceOptions & { controlPort?: number };
const service = await startFakeService(options);
const { url, server } = await openControl(service, options.controlPort ?? 0);
console.log(JSON.stringify({ ready: true, control: url, ...service.urls }));

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void service.close();
});
