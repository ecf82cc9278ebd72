import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createPulseBff } from '@pulse-card/bff';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import { loginPage, portalPage } from './pages.ts';

declare module 'express-session' {
  interface SessionData {
    user: string;
  }
}

const port = Number(process.env['PORT'] ?? 3000);
const password = process.env['PORTAL_PASSWORD'];
if (!password) throw new Error('PORTAL_PASSWORD: is required');

const onlyReaders: RequestHandler = (request, response, next) => {
  if (request.session.user) next();
  else response.sendStatus(401);
};

const app = express();
app.disable('x-powered-by');
app.use(
  session({
    secret: process.env['SESSION_SECRET'] ?? randomUUID(),
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: 'auto' },
  }),
);

/** Which sources each user may see, as JSON: `{ "alice": "*", "bob": ["src_1"] }`. Without it, all users see all. */
const rights = process.env['PORTAL_RIGHTS'] && (JSON.parse(process.env['PORTAL_RIGHTS']) as Rights);

type Rights = Readonly<Record<string, '*' | readonly string[]>>;

function sourcesOf(user: string): '*' | readonly string[] {
  return rights ? (rights[user] ?? []) : '*';
}

// The whole of the BFF lies behind the login: its script, its data, its charts.
const bff = createPulseBff(
  { ...process.env, PULSE_PUBLIC_URL: `http://localhost:${port}/pulse` },
  {
    authorize: ({ session: { user } }) => sourcesOf(user ?? ''),
    clientKey: ({ session: { user } }) => user ?? '',
  },
);
app.use('/pulse', onlyReaders, bff);

app.get('/', ({ session: { user } }, response) => {
  response.set('Cache-Control', 'no-store').send(user ? portalPage(user) : loginPage());
});

app.post('/login', express.urlencoded({ extended: false }), (request, response, next) => {
  const { user, password: given } = request.body as Record<string, unknown>;
  if (typeof user !== 'string' || typeof given !== 'string' || !isSame(given, password)) {
    response.status(401).send(loginPage('That is not the password.'));
    return;
  }
  request.session.regenerate((fault) => {
    if (fault) return next(fault);
    request.session.user = user.slice(0, 80);
    response.redirect(303, '/');
  });
});

app.post('/logout', (request, response, next) => {
  request.session.destroy((fault) => (fault ? next(fault) : response.redirect(303, '/')));
});

const server = app.listen(port, (fault) => {
  if (fault) throw fault;
  console.log(`The portal: http://localhost:${port}`);
});

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void bff.close();
});

/** Compares in a time that tells nothing of how much is right. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(wanted));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
