import { setTimeout as pause } from 'node:timers/promises';
import { WELL } from '@pulse-card/testkit/service/fault';
import type { Cluster, Instance } from './cluster.ts';
import type { Machine } from './machine.ts';
import type { Event, Degradation } from './schedule.ts';
import { type Stop, stopInstance } from './stop.ts';

/**
 * The maximum time that a process takes to stop, in ms. An upstream failure within this time may explain an error that
 * the process reports.
 */
const STOP_MS = 10_000;

/** How many times a restart is tried before the schedule fails. */
const RESTARTS = 4;

/**
 * Starts and ends each failure at its scheduled time. Once the last failure has ended, resolves to the results of all
 * stops.
 */
export async function playSchedule(cluster: Cluster, events: readonly Event[]): Promise<Stop[]> {
  const startedAt = performance.now();
  const until = (atMs: number) => pause(Math.max(0, startedAt + atMs - performance.now()));
  const play = new Play(cluster, events);
  await Promise.all(
    events.map(async ({ atMs, forMs, degradedReason }) => {
      await until(atMs);
      const end = await play.begin(degradedReason, { atMs, forMs });
      await until(atMs + forMs);
      await end();
    }),
  );
  return play.stops;
}

type End = () => unknown;

/** Tries several times, because another program may briefly use the port. */
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

class Play {
  readonly stops: Stop[] = [];
  readonly #cluster: Cluster;
  readonly #events: readonly Event[];

  constructor(cluster: Cluster, events: readonly Event[]) {
    this.#cluster = cluster;
    this.#events = events;
  }

  /** Begins a failure. Resolves to the function that ends the failure. */
  async begin(degradedReason: Degradation, { atMs, forMs }: { atMs: number; forMs: number }): Promise<End> {
    const { instances, redis, upstream } = this.#cluster;
    switch (degradedReason.kind) {
      case 'kill':
      case 'stop':
        return this.#end(degradedReason.kind, degradedReason.instance, atMs);
      case 'pause':
        return stoodStill(instances[degradedReason.instance]!);
      case 'partition':
        instances[degradedReason.instance]!.relay.block();
        return () => instances[degradedReason.instance]!.relay.unblock();
      case 'clock':
        return changed(
          instances[degradedReason.instance]!,
          { wallShiftMs: degradedReason.shiftMs },
          { wallShiftMs: 0 },
        );
      case 'disk-full':
        return changed(instances[degradedReason.instance]!, { isDiskFull: true }, { isDiskFull: false });
      case 'redis-kill':
        await redis.kill();
        return () => redis.restart();
      case 'redis-pause':
        redis.freeze();
        return () => redis.resume();
      case 'flush':
        await redis.command('FLUSHALL');
        return () => {};
      default: {
        const { fault } = degradedReason;
        // A 429's headers contain the time at which the limit ends, as the spec requires.
        const logged = fault.kind === 'limited' ? { ...fault, untilMs: Date.now() + forMs } : fault;
        const toward = degradedReason.host === 'both' ? {} : { host: degradedReason.host };
        await upstream.fail(logged, toward);
        return () => upstream.fail(WELL, toward);
      }
    }
  }

  /** Ends a process, unless the process has already ended. */
  async #end(how: 'kill' | 'stop', index: number, atMs: number): Promise<End> {
    const instance = this.#cluster.instances[index]!;
    if (instance.endedFor > 0) return () => {};
    instance.endedFor += 1;
    instance.life += 1;
    if (how === 'stop') this.stops.push(await this.#stop(instance, index, atMs));
    else await instance.bff.kill();
    return async () => {
      await restarted(instance);
      instance.endedFor -= 1;
    };
  }

  #stop(instance: Instance, index: number, atMs: number): Promise<Stop> {
    const isUpstreamHealthy = !this.#events.some(
      ({ degradedReason, ...event }) =>
        degradedReason.kind === 'upstream' &&
        event.atMs <= atMs + STOP_MS &&
        event.atMs + event.forMs >= atMs - STOP_MS,
    );
    return stopInstance(instance, { instance: index, redis: this.#cluster.redis, isUpstreamHealthy });
  }
}

function stoodStill(instance: Instance): End {
  if (instance.endedFor > 0) return () => {};
  const { pid } = instance.bff;
  instance.endedFor += 1;
  process.kill(pid, 'SIGSTOP');
  return () => {
    process.kill(pid, 'SIGCONT');
    instance.endedFor -= 1;
  };
}

function changed(instance: Instance, now: Partial<Machine>, later: Partial<Machine>): End {
  instance.setMachine(() => now);
  return () => instance.setMachine(() => later);
}
