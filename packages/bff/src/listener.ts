import type { RequestListener } from 'node:http';
import express from 'express';
import type { App } from './app.ts';

/** What a server calls for each request: the front first, Express for what it passes on. */
export function listenerOf({ front, routes }: App): RequestListener {
  const rest = express().disable('x-powered-by').use(routes);
  return (request, response) => {
    // What was read at once with a request that ended its connection is still handed on, and nobody waits for it.
    if (!request.socket.destroyed) front(request, response, () => rest(request, response));
  };
}
