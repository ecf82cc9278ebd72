import type { IncomingMessage, ServerResponse } from 'node:http';
import { pulsesAnswerSchema, type PulsesAnswer } from '@pulse-card/contract';
import type { Connect, Plugin } from 'vite';
import { answerFor, HANGING, HUNG_UP, isAnswerName } from './answers.ts';

/** Where the stand-ins are: a card with `base-url="/answers/stale"` asks a BFF whose answers are stale. */
const ANSWERS_PATH = '/answers';

/** Serves a stand-in for a BFF in each of its troubles beside the pages, while developing and after. */
export function answersPlugin(bffUrl: string): Plugin {
  const serve = ({ middlewares }: { middlewares: Connect.Server }) => {
    middlewares.use(ANSWERS_PATH, (request, response) => {
      answer(request, response, bffUrl).catch(() => response.destroy());
    });
  };
  return { name: 'demo-answers', configureServer: serve, configurePreviewServer: serve };
}

async function answer(request: IncomingMessage, response: ServerResponse, bffUrl: string): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, name = '', ...rest] = url.pathname.split('/');
  if (name === HANGING) return;
  if (name === HUNG_UP) return void request.socket.destroy();
  if (!isAnswerName(name) || rest.join('/') !== 'v1/pulses') return void response.writeHead(404).end();
  const ids = (url.searchParams.get('ids') ?? '').split(',');
  const { status, headers, body } = await answerFor(name, ids, () => realAnswer(bffUrl, ids));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers }).end(body);
}

async function realAnswer(bffUrl: string, ids: readonly string[]): Promise<PulsesAnswer> {
  const response = await fetch(`${bffUrl}/v1/pulses?ids=${ids.map(encodeURIComponent).join(',')}`);
  return pulsesAnswerSchema.parse(await response.json());
}
