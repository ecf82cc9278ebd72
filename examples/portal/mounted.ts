import { join } from 'node:path';
import { createPulseBff } from '@pulse-card/bff';
import express from 'express';
import { login, signedInOnly, sourcesOf } from './login.ts';

const port = Number(process.env['PORT'] ?? 3000);
const password = process.env['PORTAL_PASSWORD'];
if (!password) throw new Error('PORTAL_PASSWORD: is required');

const app = express().disable('x-powered-by');
app.use(login(password));

// The whole BFF is behind the login, including its script, its data, and its charts.
const pulseBff = createPulseBff(
  { ...process.env, PULSE_PUBLIC_URL: `http://localhost:${port}/pulse` },
  {
    authorize: (request) => ({
      sources: sourcesOf(request.session.user),
      reader: request.session.user,
    }),
    clientKey: (request) => request.session.user ?? '',
  },
);
app.use('/pulse', signedInOnly, pulseBff);

app.get('/', (_request, response) => response.sendFile(join(import.meta.dirname, 'mounted.html')));

const server = app.listen(port, (fault) => {
  if (fault) throw fault;
  console.log(`The portal: http://localhost:${port}`);
});

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void pulseBff.close();
});
