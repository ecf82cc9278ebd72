import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createPulseBff, type PulseBffOptions, type Variables } from '../index.ts';

/** Mounts the router of a silent BFF in an application of its own. */
export async function serveRouter(
  variables: Variables,
  options?: PulseBffOptions,
): Promise<AsyncDisposable & { readonly url: string }> {
  // A short window: the first call after a start without a memory is paced by it.
  const quick = {
    LOG_LEVEL: 'silent',
    PULSE_CLIENT_RATE: '0',
    PULSE_RATE_WINDOW_MS: '1000',
  };
  const bff = createPulseBff({ ...quick, ...variables }, options);
  const server = createServer(express().disable('x-powered-by').use(bff));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await bff.close();
    },
  };
}
