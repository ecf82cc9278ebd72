import { setTimeout as pause } from 'node:timers/promises';
import { WELL } from '../upstream/fault.ts';
import type { Cluster, Instance } from './cluster.ts';
import type { Event, Trouble } from './schedule.ts';

/** How often an instance is started anew before that counts as a failure. */
const RESTARTS = 4;

/** Makes each trouble of the schedule come and go at its time; resolves when the last is over. */
export async function playSchedule(cluster: Cluster, events: readonly Event[]): Promise<void> {
  const startedAt = performance.now();
  const until = (atMs: number) => pause(Math.max(0, startedAt + atMs - performance.now()));
  await Promise.all(
    events.map(async ({ atMs, forMs, trouble }) => {
      await until(atMs);
      await begin(cluster, trouble, forMs);
      await until(atMs + forMs);
      await end(cluster, trouble);
    }),
  );
}

/** Another process of the machine may have taken the port for a moment. */
async function restarted({ bff }: Instance): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await bff.restart();
    } catch (error) {
      if (tries === RESTARTS) throw error;
      await bff.kill();
      await pause(500);
    }
  }
}

async function begin({ instances, redis, upstream }: Cluster, trouble: Trouble, forMs: number): Promise<void> {
  switch (trouble.kind) {
    case 'kill':
      instances[trouble.instance]!.goneFor += 1;
      instances[trouble.instance]!.life += 1;
      return instances[trouble.instance]!.bff.kill();
    case 'pause':
      instances[trouble.instance]!.goneFor += 1;
      return void process.kill(instances[trouble.instance]!.bff.pid, 'SIGSTOP');
    case 'partition':
      return instances[trouble.instance]!.relay.block();
    case 'clock':
      return instances[trouble.instance]!.setClock(trouble.shiftMs);
    case 'redis-kill':
      return redis.kill();
    case 'redis-pause':
      return redis.freeze();
    case 'flush':
      return void (await redis.command('FLUSHALL'));
    case 'upstream': {
      const { fault } = trouble;
      // A 429 names the moment of its end in its headers, as the spec has it.
      const told = fault.kind === 'limited' ? { ...fault, untilMs: Date.now() + forMs } : fault;
      return upstream.fail(trouble.host, told);
    }
  }
}

async function end({ instances, redis, upstream }: Cluster, trouble: Trouble): Promise<void> {
  switch (trouble.kind) {
    case 'kill': {
      const instance = instances[trouble.instance]!;
      await restarted(instance);
      instance.goneFor -= 1;
      return;
    }
    case 'pause':
      process.kill(instances[trouble.instance]!.bff.pid, 'SIGCONT');
      instances[trouble.instance]!.goneFor -= 1;
      return;
    case 'partition':
      return instances[trouble.instance]!.relay.unblock();
    case 'clock':
      return instances[trouble.instance]!.setClock(0);
    case 'redis-kill':
      return redis.restart();
    case 'redis-pause':
      return redis.resume();
    case 'flush':
      return;
    case 'upstream':
      return upstream.fail(trouble.host, WELL);
  }
}
