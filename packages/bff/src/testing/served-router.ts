import express from 'express';
import { createPulseBff, type PulseBff, type PulseBffOptions, type Variables } from '../index.ts';
import { serve } from './serve.ts';

/** Mounts the router of a silent BFF in a new application. */
export async function serveRouter(
  variables: Variables,
  options?: PulseBffOptions,
): Promise<AsyncDisposable & { readonly url: string; readonly bff: PulseBff }> {
  // The window is short, because its length delays the first call after a start without saved state.
  const quick = {
    LOG_LEVEL: 'silent',
    PULSE_CLIENT_RATE: '0',
    PULSE_RATE_WINDOW_MS: '1000',
  };
  const bff = createPulseBff({ ...quick, ...variables }, options);
  const served = await serve(express().disable('x-powered-by').use(bff));
  return {
    url: served.url,
    bff,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await bff.close();
    },
  };
}
