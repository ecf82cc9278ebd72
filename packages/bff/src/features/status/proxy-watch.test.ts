import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { ProxyWatch, UNTRUSTED_PROXY } from './proxy-watch.ts';

describe('ProxyWatch', () => {
  const none = { kind: 'none' } as const;
  const ranges = { kind: 'ranges', ranges: ['10.0.0.0/8', '::1'] } as const;
  const forwarded = { 'x-forwarded-for': '1.2.3.4' };
  for (const [what, trust, address, headers, isUntrusted] of [
    ['a proxy beyond the trusted ranges', ranges, '172.17.0.1', forwarded, true],
    ['Forwarded, although no proxy is trusted', none, '10.0.0.1', { forwarded: 'for=1.2.3.4' }, true],
    ['no trusted proxy', ranges, '10.0.0.1', forwarded, false],
    ['no trusted proxy that is mapped into IPv6', ranges, '::ffff:10.0.0.1', forwarded, false],
    ['no client that connected directly', none, '172.17.0.1', {}, false],
  ] as const)
    it(`finds ${what}`, () => {
      const lines: string[] = [];
      const proxies = new ProxyWatch(trust, (line) => lines.push(line));
      for (let at = 0; at < 2; at += 1)
        proxies.look({ headers, socket: { remoteAddress: address } } as IncomingMessage);
      assert.deepEqual([proxies.warnings, lines], isUntrusted ? [[UNTRUSTED_PROXY], [UNTRUSTED_PROXY]] : [[], []]);
    });
});
