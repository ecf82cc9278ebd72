import { join } from 'node:path';
import { type ChildServer, startChild } from '../process/child-server.ts';
import { commandUpstream } from './control.ts';
import type { RecordingUpstream, UpstreamOptions } from './recording-upstream.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

/** Plays the service in a process of its own, optionally on one core alone. */
export async function spawnUpstream(options: UpstreamOptions, core?: number): Promise<RecordingUpstream> {
  const child: ChildServer = await startChild({
    title: 'recording upstream',
    args: ['--conditions=source', MAIN, JSON.stringify(options)],
    isReady: (line) => line.includes('"ready":true'),
    ...(core === undefined ? {} : { core }),
  });
  const { control } = JSON.parse(child.readyLine) as { control: string };
  return commandUpstream(control, () => child.stop());
}
