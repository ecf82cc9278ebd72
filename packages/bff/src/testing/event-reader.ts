/** One block of an event stream; a field that is not there is undefined. */
export interface Block {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
  /** True for a heartbeat. */
  readonly comment?: string;
}

/** A reader of an event stream, block by block. */
export interface EventReader extends AsyncDisposable {
  readonly response: Response;
  /** The next block that `wanted` takes; undefined where the stream ends before. Rejects where it is cut. */
  next(wanted?: (block: Block) => boolean): Promise<Block | undefined>;
  /** The next pulse, as it was sent. */
  nextPulse(): Promise<{ id: string; jobRunId: string; body: unknown }>;
  leave(): Promise<void>;
}

/** Opens the event stream at `url`. */
export async function openEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  const blocks = blocksOf(response);
  const reader: EventReader = {
    response,
    async next(wanted = () => true) {
      for (let result = await blocks.next(); result.done !== true; result = await blocks.next())
        if (wanted(result.value)) return result.value;
      return undefined;
    },
    async nextPulse() {
      const { id = '', data = 'null' } = (await reader.next(({ event }) => event === 'pulse')) ?? {};
      const body = JSON.parse(data) as { pulse: { jobRunId: string } };
      return { id, jobRunId: body.pulse.jobRunId, body };
    },
    leave() {
      leaving.abort();
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => reader.leave(),
  };
  return reader;
}

async function* blocksOf({ body }: Response): AsyncGenerator<Block, undefined> {
  if (!body) return;
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield blockOf(block);
  }
}

function blockOf(text: string): Block {
  const fields = text.split('\n').map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at) || 'comment', line.slice(at + 1).trimStart()];
  });
  return Object.fromEntries(fields);
}
