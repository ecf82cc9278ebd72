import { createServer } from 'node:http';
import type { Sample } from './servers.ts';

// Does as little as a Node server can: it sends the same prepared response to every request. PORT is its port, and
// SAMPLE is the response.
const { status, headers, bodyBase64 } = JSON.parse(process.env['SAMPLE'] ?? '{}') as Sample;
const body = Buffer.from(bodyBase64, 'base64');

createServer((_req, res) => {
  res.writeHead(status, headers);
  res.end(body);
}).listen(Number(process.env['PORT']), '127.0.0.1', () => console.log('ready'));
