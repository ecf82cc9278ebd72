import { retryAfterMsOf } from '../pulse-client.ts';
import type { PulseController } from '../pulse-controller.ts';
import { isId, readAnswer, understood } from '../pulse-guard.ts';
import { fetchData } from '../token-desk.ts';

/** Cards that come near one after the other are followed together. */
const GATHER_MS = 1_000;

/** The BFF shows at least every 25 seconds that it is there. */
const SILENCE_MS = 60_000;

/** How soon a stream must begin; and how often a page asks that can't have one. */
const POLL_MS = 15_000;

/** A card that may follow its source. */
export interface LiveCard {
  readonly live: boolean;
  readonly isConnected: boolean;
  readonly base: string;
  /** The source; empty where the page gave a pulse. */
  readonly subject: string;
  readonly controller: PulseController;
}

const streams: Record<string, (card: LiveCard) => void> = {};

/** Has `card` follow its source, or no longer: as it stands now. One stream serves all cards of a page with one BFF. */
export function follow(card: LiveCard): void {
  streams[card.base] ??= createStream(card.base);
  for (const tune of Object.values(streams)) tune(card);
}

/** Makes a stream; what it gives back has a card join or leave it, as card and page are now, and opens and ends it. */
function createStream(base: string): (card: LiveCard) => void {
  const cards = new Set<LiveCard>();
  let ids = '';
  let ending: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Said by every stream when it begins; 0 while there is none.
  let retryMs = 1;

  /** One fact of each card that follows, as a list. */
  const all = (factOf: (card: LiveCard) => string) => [...new Set([...cards].map(factOf))].join();

  const openIn = (ms: number) => {
    clearTimeout(timer);
    if (ids) timer = setTimeout(() => void open(), ms);
  };

  const take = (_: string, json = '0') => {
    const said: unknown = JSON.parse(json);
    const outcome = understood(() => readAnswer(said));
    retryMs = Number(said) || retryMs;
    for (const { subject, controller } of cards)
      if (outcome.ok && outcome.pulse.sourceId === subject) controller.show(outcome);
    return '';
  };

  async function open(): Promise<void> {
    if (!retryMs) for (const { controller } of cards) void controller.renew();
    let waitMs = (retryMs = 0);
    ending?.abort();
    const { signal } = (ending = new AbortController());
    openIn(POLL_MS);
    try {
      const headers = { 'Last-Event-ID': all(({ controller }) => controller.model.pulse?.jobRunId ?? '.') };
      const response = await fetchData(`${base}/v1/events?ids=${ids}`, { headers, signal });
      waitMs = retryAfterMsOf(response);
      const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
      for (let text = '', part; !(part = await reader.read()).done;) {
        openIn(SILENCE_MS);
        // Every whole line goes; what is left is the beginning of the next.
        text = (text + part.value).replace(/(?:(?:data|retry): (.+?)|.*?)\n/gs, take);
      }
    } catch {
      // Whatever it was: there will be another stream.
    }
    if (!signal.aborted) openIn((retryMs || waitMs || POLL_MS) * (1 + Math.random() / 2));
  }

  return (card) => {
    const { subject, controller } = card;
    const follows = card.live && card.isConnected && card.base === base && !document.hidden;
    cards[follows && isId(subject) && controller.model.state !== 'idle' ? 'add' : 'delete'](card);
    const wanted = all(({ subject }) => subject);
    if (wanted === ids) return;
    ids = wanted;
    ending?.abort();
    openIn(GATHER_MS);
  };
}
