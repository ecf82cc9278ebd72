import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import express, { type RequestHandler, Router } from 'express';
import session from 'express-session';

declare module 'express-session' {
  interface SessionData {
    user: string;
  }
}

/**
 * The IDs of the sources that each user is allowed to see, or '*' for all sources. In your portal, they come from your
 * database.
 */
const RIGHTS = new Map<string, '*' | readonly string[]>([
  ['alice', '*'],
  ['bob', ['src_us_employment']],
]);

export function sourcesOf(user = ''): '*' | readonly string[] {
  return RIGHTS.get(user) ?? [];
}

/** Responds with 401 to readers who haven't signed in. */
export const signedInOnly: RequestHandler = (request, response, next) => {
  if (request.session.user) next();
  else response.sendStatus(401);
};

/**
 * Adds sessions, the routes that start and end a session, and the page's files. Sessions are kept in memory. In your
 * portal, keep them in a store.
 */
export function login(password: string): Router {
  const router = Router();
  router.use(
    session({
      secret: process.env['SESSION_SECRET'] ?? randomUUID(),
      resave: false,
      saveUninitialized: false,
      cookie: { httpOnly: true, sameSite: 'lax', secure: 'auto' },
    }),
  );

  router.get('/session', signedInOnly, (request, response) => {
    response.set('Cache-Control', 'no-store').json({ user: request.session.user });
  });

  router.post('/login', express.json(), (request, response, next) => {
    const { user, password: given } = (request.body ?? {}) as Record<string, unknown>;
    if (typeof user !== 'string' || !RIGHTS.has(user) || typeof given !== 'string' || !isSame(given, password)) {
      response.sendStatus(401);
      return;
    }
    request.session.regenerate((fault) => {
      if (fault) return next(fault);
      request.session.user = user;
      response.json({ user });
    });
  });

  router.post('/logout', (request, response, next) => {
    request.session.destroy((fault) => (fault ? next(fault) : response.sendStatus(204)));
  });

  for (const file of ['session.js', 'page.css'])
    router.get(`/${file}`, (_request, response) => response.sendFile(join(import.meta.dirname, file)));
  return router;
}

/** Compares in constant time. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(wanted));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
