import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault as HostFault } from '../upstream/fault.ts';
import { type Fault, failuresIn, failureWords, onStage, stretch } from './stage.ts';

const EACH_MS = 30_000;
const BETWEEN_MS = 40_000;

/** Both hosts answer, but wrongly: errors, broken JSON, a body that trickles, a way to another host. */
export const wrongAnswers: Fault = async () => {
  let trapped = 0;
  const trap = createServer((_req, res) => res.end(String((trapped += 1))));
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  const to = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/v1/sources`;
  const wrongs: (readonly [string, HostFault])[] = [
    ['500', { kind: 'status', status: 500 }],
    ['JSON cut short', { kind: 'broken-json' }],
    ['a byte every 100 ms', { kind: 'slow-body', msPerByte: 100 }],
    ['302 to another host', { kind: 'redirect', to }],
  ];
  try {
    return await onStage({}, async ({ upstream, visitsBetween, arrivalsBetween }) => {
      const facts: [string, string | number][] = [];
      for (const [name, fault] of wrongs) {
        await upstream.fail('both', fault);
        const [fromNs, toNs] = await stretch(EACH_MS);
        await upstream.fail('both', { kind: 'none' });
        const visits = visitsBetween(fromNs, toNs);
        const calls = (await arrivalsBetween(fromNs, toNs)).length;
        facts.push([`${name}: visitor failures`, `${failuresIn(visits)} of ${visits.views} (${failureWords(visits)})`]);
        facts.push([`${name}: calls`, calls]);
        await pause(BETWEEN_MS);
      }
      return {
        title: 'Wrong answers',
        done: `Both hosts answer wrongly for ${EACH_MS / 1000} s, with ${BETWEEN_MS / 1000} s of health between.`,
        facts: [...facts, ['calls that followed the redirect', trapped]],
      };
    });
  } finally {
    trap.close();
    trap.closeAllConnections();
  }
};
