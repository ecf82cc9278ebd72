import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mintToken } from '@pulse-card/token';
import express from 'express';
import { login, signedInOnly, sourcesOf } from './login.ts';

const port = Number(process.env['PORT'] ?? 3000);
const bffUrl = process.env['PULSE_URL'] ?? 'http://localhost:4020';
const password = process.env['PORTAL_PASSWORD'];
if (!password) throw new Error('PORTAL_PASSWORD: is required');
const secret = process.env['PORTAL_TOKEN_SECRET'];
if (!secret) throw new Error('PORTAL_TOKEN_SECRET: is required');

const app = express().disable('x-powered-by');
app.use(login(password));

const key = { kid: 'portal', secret };
app.get('/pulse-token', signedInOnly, async (request, response) => {
  const { user = '' } = request.session;
  const token = await mintToken(key, {
    audience: bffUrl,
    subject: user,
    sources: sourcesOf(user),
    origins: [`http://localhost:${port}`],
  });
  response.set('Cache-Control', 'no-store').type('text').send(token);
});

const page = readFileSync(join(import.meta.dirname, 'tokens.html'), 'utf8');
app.get('/', (_request, response) => response.send(page.replaceAll('http://localhost:4020', bffUrl)));

const server = app.listen(port, (fault) => {
  if (fault) throw fault;
  console.log(`The portal: http://localhost:${port}`);
});

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
