import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { PulseCard } from '@pulse-card/widget';
import express, { type Express, type Request } from 'express';
import { type MintingKey, mintToken } from '@pulse-card/token';

/** A portal whose users sign in and out without a reload. */
export interface SessionPortal {
  readonly app: Express;
  readonly url: string;
  userOf(request: Request): string | undefined;
  /** Ends all sessions without notifying the pages. */
  endSessions(): void;
  stop(): void;
}

export interface SessionPortalOptions {
  /** Each user's sources. */
  readonly rights: Readonly<Record<string, readonly string[]>>;
  /** The URL of the BFF that the page uses, once it is known. */
  readonly bffUrl: () => string;
  /** Signs tokens; undefined if the BFF is mounted. */
  readonly key?: MintingKey | undefined;
}

/**
 * Starts a portal. `/` is its page, on which a test calls the functions in `portal`. `/login`, `/logout`, and `/token`
 * are its backend.
 */
export async function startSessionPortal({ rights, bffUrl, key }: SessionPortalOptions): Promise<SessionPortal> {
  const sessions = new Map<string, string>();
  const app = express();
  const userOf = (request: Request) => sessions.get(/session=([\w-]+)/.exec(request.get('Cookie') ?? '')?.[1] ?? '');

  app.post('/login/:user', (request, response) => {
    const id = randomUUID();
    sessions.set(id, request.params.user);
    response.set('Set-Cookie', `session=${id}; HttpOnly; SameSite=Lax; Path=/`).sendStatus(204);
  });
  app.post('/logout', (_request, response) => {
    sessions.clear();
    response.set('Set-Cookie', 'session=; Max-Age=0; Path=/').sendStatus(204);
  });
  app.get('/token', async (request, response) => {
    const user = userOf(request);
    if (user === undefined || key === undefined) {
      response.sendStatus(401);
      return;
    }
    const token = await mintToken(key, { audience: bffUrl(), subject: user, sources: rights[user] ?? [] });
    response.set('Cache-Control', 'no-store').type('text').send(token);
  });
  app.get('/', (_request, response) => {
    const settings = JSON.stringify({ bffUrl: bffUrl(), takesTokens: key !== undefined });
    const script = `const settings = ${settings};\nglobalThis.portal = (${page.toString()})(settings);`;
    response.send(
      `<!doctype html><link rel="icon" href="data:,"><main></main><script type="module">${script}</script>`,
    );
  });

  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    app,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    userOf,
    endSessions: () => sessions.clear(),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The functions on the portal's page, which run in the browser. */
export type PortalPage = ReturnType<typeof page>;

function page({ bffUrl, takesTokens }: { bffUrl: string; takesTokens: boolean }) {
  const main = document.querySelector('main') as HTMLElement;
  const cards = () => [...main.querySelectorAll('pulse-card')];
  const violations = new Set<string>();
  let user = '';
  /** The current user's sources. No others may be visible. */
  let allowed: readonly string[] = [];

  // All users share one provider, as in an application's module.
  const tokenProvider = async () => {
    const response = await fetch('/token');
    if (!response.ok) throw response;
    return response.text();
  };

  const shows = (card: (typeof main.children)[number]) =>
    Boolean(card.shadowRoot?.querySelector('[part~=summary], [part~=image], dialog'));

  requestAnimationFrame(function watch() {
    for (const card of cards())
      if (shows(card) && !allowed.includes(card.sourceId ?? '')) violations.add(`"${user}" sees ${card.sourceId}`);
    requestAnimationFrame(watch);
  });

  function setUser(name: string, sources: readonly string[]) {
    user = name;
    allowed = sources;
    // The guide describes these two ways to signal a change of reader.
    if (!takesTokens) for (const card of cards()) card.reader = name;
    else if (name === '') (customElements.get('pulse-card') as typeof PulseCard | undefined)?.forgetTokens();
    else for (const card of cards()) void card.refresh();
  }

  return {
    async signIn(name: string, sources: readonly string[]) {
      if (user) await this.signOut();
      await fetch(`/login/${name}`, { method: 'POST' });
      await import(`${bffUrl}/pulse-card.js`);
      setUser(name, sources);
    },
    async signOut() {
      await fetch('/logout', { method: 'POST' });
      setUser('', []);
    },
    mount(sourceId: string) {
      const card = document.createElement('pulse-card');
      card.sourceId = sourceId;
      card.loading = 'eager';
      if (takesTokens) card.tokenProvider = tokenProvider;
      else card.reader = user;
      main.append(card);
    },
    unmount: () => main.firstElementChild?.remove(),
    /** Removes a card from the page and adds it again. */
    move: () => main.firstElementChild && main.append(main.firstElementChild),
    refresh: () => void cards().map((card) => card.refresh?.()),
    /** Resolves once no card is waiting for a response. */
    async settled() {
      while (cards().some((card) => card.state === 'loading' || card.state === 'idle'))
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    violations: () => [...violations],
    /** Each card's source and whether the card shows a pulse. */
    shown: () => cards().map((card) => [card.sourceId ?? '', shows(card)] as const),
  };
}
