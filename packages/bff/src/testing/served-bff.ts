import { type Bff, openBff } from '../bff.ts';
import { readConfig } from '../config/config.ts';
import type { Variables } from '../config/variables.ts';
import { FEATURE_VARIABLES } from '../features.ts';
import type { StatusDocument } from '../index.ts';
import { HardenedServer } from '../http/server.ts';

/**
 * Serves a BFF from this process. `redisAnswersWithinMs` is long by default, because Redis can be slow on a busy
 * machine.
 */
export async function serveBff(variables: Variables, redisAnswersWithinMs = 5_000) {
  const quiet = { PULSE_CLIENT_RATE: '0', LOG_LEVEL: 'silent' };
  const bff = await openBff(readConfig({ ...quiet, ...variables }, FEATURE_VARIABLES), { redisAnswersWithinMs });
  const server = new HardenedServer();
  server.answerWith(bff.app.handle);
  const url = `http://127.0.0.1:${await server.listenAt({ port: 0, host: '127.0.0.1', variable: 'PORT' })}`;
  return {
    url,
    bff,
    /** The answer to a reader about a source. */
    async read(id: string) {
      const response = await fetch(`${url}/v1/sources/${id}/pulse`);
      return { status: response.status, body: (await response.json()) as PulseBody };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await bff.close();
    },
  };
}

interface PulseBody {
  readonly pulse?: { readonly jobRunId: string };
  readonly code?: string;
}

export type ServedBff = Awaited<ReturnType<typeof serveBff>>;

/** The `/status` document of a BFF. */
export function statusOf({ documents }: Pick<Bff, 'documents'>): StatusDocument {
  return JSON.parse(documents['/status']?.text() as string) as StatusDocument;
}
