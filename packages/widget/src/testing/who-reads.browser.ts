import { expect } from 'chai';
import fc from 'fast-check';
import type { PulseCard } from '../elements/index.ts';
import {
  advance,
  clearStage,
  eventually,
  linesOf,
  loadAfterPaint,
  openPage,
  stageBoard,
  stageCard,
  stopClock,
  StubBff,
  tokenFor,
  until,
} from './stage.ts';

const tokenOf = (sub: string, name = sub) => tokenFor(name, 300, { sub });
const EAGER = { loading: 'eager' };
const shownIn = (element: Element) => element.shadowRoot?.textContent ?? '';

/** Puts a card with the reader bob's pulse on this page. */
async function stageBobs(bff: StubBff, provider: () => string | Promise<string> = () => tokenOf('bob')) {
  const card = await stageCard(bff, 'ready-1');
  card.tokenProvider = provider;
  await until(card, 'ready');
  expect(shownIn(card)).to.contain('For bob');
  return card;
}

/** Puts a card on this page. A server has rendered the card for bob, and the card hasn't requested a token yet. */
async function stageRendered(bff: StubBff, provider: () => string) {
  const card = document.createElement('pulse-card');
  Object.assign(card, { sourceId: 'ready-1', baseUrl: bff.base, loading: 'eager' });
  const pulse = { jobRunId: 'run_1', sourceId: 'ready-1', aiSummaryShort: 'For bob' };
  const data = { sourceId: 'ready-1', ok: true, meta: { requestedAt: new Date().toISOString() }, pulse };
  card.innerHTML = `<script type="application/json" data-id="ready-1">${JSON.stringify(data)}</script>`;
  card.tokenProvider = provider;
  card.reader = 'bob';
  document.body.append(card);
  await until(card, 'ready');
  expect(shownIn(card)).to.contain('For bob');
  expect(await bff.tokens()).to.deep.equal([]);
  return card;
}

/** Calls the built script's `forgetTokens()`, as a page does. */
async function forgetTokens(): Promise<void> {
  const Card = customElements.get('pulse-card') as unknown as { forgetTokens(): void };
  Card.forgetTokens();
}

describe('a card for one reader', () => {
  before(loadAfterPaint);
  afterEach(() => {
    clearStage();
    document.cookie = 'reader=; max-age=0';
  });

  it('T-91: requests a new token after the last card with this provider leaves the page', async () => {
    const bff = new StubBff('private');
    let user = 'bob';
    const provider = () => tokenOf(user);
    (await stageBobs(bff, provider)).remove();
    await Promise.resolve();
    user = 'alice';
    const card = await stageCard(bff, 'ready-1');
    card.tokenProvider = provider;
    await until(card, 'ready');
    expect(shownIn(card)).to.contain('For alice');
  });

  it('keeps its token if it is only moved within the page', async () => {
    const bff = new StubBff('private');
    let asked = 0;
    const card = await stageBobs(bff, () => (asked++, tokenOf('bob')));
    document.body.prepend(card);
    await card.updateComplete;
    await card.refresh();
    expect([card.state, asked]).to.deep.equal(['ready', 1]);
  });

  it('T-91: doesn’t show the reader’s content again after the card is removed from the page', async () => {
    const bff = new StubBff('private');
    const card = await stageBobs(bff);
    card.remove();
    await Promise.resolve();
    expect(shownIn(card)).not.to.contain('bob');
  });

  it('T-91: removes its content immediately when a different reader’s token arrives', async () => {
    const bff = new StubBff('private');
    let user = 'bob';
    const card = await stageBobs(bff, () => tokenOf(user));
    user = 'alice';
    advance(300_000);
    const seen: string[] = [];
    card.addEventListener('pulse-state', () => seen.push(shownIn(card)));
    await card.refresh();
    await eventually(() => shownIn(card).includes('For alice'));
    expect(seen.join()).not.to.contain('bob');
  });

  it('T-91: removes its content if the next reader’s token provider fails', async () => {
    const bff = new StubBff('private');
    const card = await stageBobs(bff);
    advance(5_000);
    card.tokenProvider = () => Promise.reject(Object.assign(new Error('No session'), { status: 401 }));
    await until(card, 'error');
    expect(shownIn(card)).not.to.contain('bob');
    expect(card.failure).to.include({ code: 'signed_out', status: 401 });
    expect(card.failure?.cause).to.have.property('message', 'No session');
    expect(card.currentPulse).to.equal(null);
  });

  it('keeps its content with a new token for the same reader', async () => {
    const bff = new StubBff('private');
    const card = await stageBobs(bff, () => tokenOf('bob'));
    const states: string[] = [];
    card.addEventListener('pulse-state', ({ detail }) => states.push(detail.state));
    advance(5_000);
    card.tokenProvider = () => tokenOf('bob', 'other');
    await eventually(async () => (await bff.asked()).length === 2);
    expect(states).to.deep.equal([]);
  });

  it('doesn’t send a request for a new provider with the same token', async () => {
    const bff = new StubBff('private');
    // The token is created only once, because tokens from different seconds differ.
    const token = tokenOf('bob');
    const card = await stageBobs(bff, () => token);
    advance(5_000);
    card.tokenProvider = () => token;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await bff.asked()).to.have.length(1);
  });

  it('T-92: calls at most one new provider function every five seconds, and logs one line', async () => {
    const bff = new StubBff('private');
    let asked = 0;
    stopClock();
    const lines = await linesOf(async () => {
      const card = await stageCard(bff, 'ready-1');
      const render = () => (card.tokenProvider = () => (asked++, Promise.reject(new Error('portal down'))));
      card.addEventListener('pulse-error', render);
      for (let at = 0; at < 50; at++) {
        render();
        await card.updateComplete;
      }
      await until(card, 'error');
      for (let at = 0; at < 50; at++) {
        render();
        await card.updateComplete;
      }
    });
    expect(asked).to.be.at.most(3);
    expect(lines.filter((line) => line.includes('changes on every render'))).to.have.length(1);
  });

  it('T-91: removes its content and discards late responses when the reader property changes', async () => {
    document.cookie = 'reader=bob';
    const bff = new StubBff('ok+100');
    const card = await stageCard(bff, 'ready-1');
    card.reader = 'bob';
    await until(card, 'ready');
    expect(shownIn(card)).to.contain('For bob');
    const late = card.refresh();
    await eventually(async () => (await bff.asked()).length === 2);
    document.cookie = 'reader=alice';
    card.reader = 'alice';
    expect(shownIn(card)).not.to.contain('bob');
    expect(card.currentPulse).to.equal(null);
    await late;
    expect(shownIn(card)).not.to.contain('bob');
    await until(card, 'ready');
    expect(shownIn(card)).to.contain('For alice');
  });

  it('T-91: never shares a batch or a token with a card for a different reader', async () => {
    const bff = new StubBff('private');
    let user = 'bob';
    const provider = () => tokenOf(user);
    const [bobs, alices] = await Promise.all(
      ['ready-1', 'ready-2'].map((id) => stageCard(bff, id, { loading: 'eager' })),
    );
    Object.assign(bobs as PulseCard, { tokenProvider: provider, reader: 'bob' });
    await until(bobs as PulseCard, 'ready');
    user = 'alice';
    Object.assign(alices as PulseCard, { reader: 'alice', tokenProvider: provider });
    await until(alices as PulseCard, 'ready');
    expect(shownIn(alices as PulseCard)).to.contain('For alice');
    expect(await bff.asked('ids=ready-1,')).to.deep.equal([]);
  });

  it('T-91: also removes the enlarged view, and a board’s cards, when the reader changes', async () => {
    const bff = new StubBff('private');
    const board = await stageBoard(bff, { loading: 'eager' });
    let isSignedIn = true;
    // One function for both readers, because a second new function within five seconds isn't called.
    const tokenProvider = () => (isSignedIn ? tokenOf('bob') : Promise.reject(new Response(null, { status: 401 })));
    Object.assign(board, { tokenProvider, reader: 'bob' });
    await until(board, 'ready');
    const card = board.shadowRoot?.querySelector('pulse-card') as PulseCard;
    await until(card, 'ready');
    card.shadowRoot?.querySelector<HTMLElement>('[part=enlarge]')?.click();
    await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
    isSignedIn = false;
    board.reader = 'alice';
    expect(board.shadowRoot?.querySelector('pulse-card') === null).to.equal(true);
    expect(document.querySelector(':modal') === null).to.equal(true);
    await until(board, 'error');
    await Promise.resolve();
    expect(shownIn(card)).not.to.contain('bob');
  });

  it('T-91: removes its content when the reader changes, even after it was moved to another window', async () => {
    const card = await stageCard(new StubBff('own'), 'ready-1', { ...EAGER, actions: 'copy' });
    document.cookie = 'reader=bob';
    card.reader = 'bob';
    await until(card, 'ready');
    await eventually(() => card.shadowRoot?.querySelector('[part=actions]'));
    const frame = await openPage('');
    frame.contentDocument?.body.append(card);
    await card.updateComplete;
    document.cookie = 'reader=alice';
    card.reader = 'alice';
    expect(shownIn(card)).not.to.contain('For bob');
    await eventually(() => shownIn(card).includes('For alice'), 5_000);
  });

  it('T-91: keeps the reader signed out after forgetTokens() until the next refresh', async () => {
    const bff = new StubBff('private');
    let user = 'bob';
    const card = await stageBobs(bff, () => tokenOf(user));
    await forgetTokens();
    await until(card, 'error');
    expect(card.failure?.code).to.equal('signed_out');
    user = 'alice';
    expect(await card.refresh()).to.equal('ready');
    expect(shownIn(card)).to.contain('For alice').and.not.to.contain('bob');
  });

  const changes = {
    'another name': (card) => Object.assign(card, { reader: 'alice' }),
    'another provider': (card) => Object.assign(card, { tokenProvider: () => tokenOf('alice') }),
    'no provider': (card) => Object.assign(card, { tokenProvider: undefined }),
    'no token': () => forgetTokens(),
  } satisfies Record<string, (card: PulseCard) => unknown>;

  for (const [signal, change] of Object.entries(changes)) {
    it(`T-91: never shows the previous reader’s server-rendered content after a change to ${signal}`, async () => {
      const bff = new StubBff('private');
      let user = 'bob';
      const card = await stageRendered(bff, () => tokenOf(user));
      user = 'alice';
      await change(card);
      await until(card, 'ready', 'error');
      expect(shownIn(card)).not.to.contain('bob');
    });
  }

  it('T-91: shows only content for the reader that the page specifies', async () => {
    document.cookie = 'reader=alice';
    const bff = new StubBff('named');
    const cards = await Promise.all(['1', '2', '3'].map((at) => stageCard(bff, `ready-${at}`, EAGER)));
    for (const card of cards) card.reader = 'alice';
    await Promise.all(cards.map((card) => until(card, 'ready')));
    document.cookie = 'reader=bob';
    const lines = await linesOf(async () => {
      await cards[0]?.refresh();
    });
    for (const card of cards) {
      expect([card.state, card.failure?.code, card.currentPulse]).to.deep.equal(['error', 'signed_out', null]);
      expect(shownIn(card)).not.to.match(/For (alice|bob)/);
    }
    expect(lines.join()).to.contain('signed_out').and.contain('the signed-in reader');
    for (const card of cards) card.reader = 'bob';
    await Promise.all(cards.map((card) => until(card, 'ready')));
    expect(cards.map(shownIn).join()).to.contain('For bob').and.not.to.contain('For alice');
  });

  it('T-91: shows a board only for the reader that the page specifies', async () => {
    document.cookie = 'reader=bob';
    const board = await stageBoard(new StubBff('named,list:named'), { loading: 'eager' });
    board.reader = 'alice';
    await until(board, 'error');
    expect(board.failure?.code).to.equal('signed_out');
    expect(board.shadowRoot?.querySelector('pulse-card')).to.equal(null);
  });

  it('shows the response if the page doesn’t specify a reader', async () => {
    document.cookie = 'reader=bob';
    const card = await until(await stageCard(new StubBff('named'), 'ready-1'), 'ready');
    expect(shownIn(card)).to.contain('For bob');
  });

  it('fails without affecting other cards if its provider is a string', async () => {
    const bff = new StubBff();
    const [wrong, right] = await Promise.all(['ready-1', 'ready-2'].map((id) => stageCard(bff, id)));
    (wrong as PulseCard).tokenProvider = 'token' as never;
    await Promise.all([until(wrong as PulseCard, 'error'), until(right as PulseCard, 'ready')]);
    expect(wrong?.failure).to.include({ code: 'token_missing', retriable: false });
  });

  it('T-90: sends a token only to the BFF that the token is for, and logs why it isn’t sent elsewhere', async () => {
    const bff = new StubBff('private');
    const lines = await linesOf(async () => {
      const card = await stageCard(bff, 'ready-1');
      card.tokenProvider = () => tokenFor('bob', 300, { aud: 'https://other.test' });
      await until(card, 'error');
      await card.updateComplete;
    });
    expect(await bff.tokens()).to.deep.equal([]);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('The token is for https://other.test');
  });

  it('T-91: never shows one reader’s content to another, in any order of events', async () => {
    const step = fc.constantFrom('bob', 'alice', 'out', 'mount', 'unmount', 'move', 'refresh', 'expire', 'settle');
    for (const signal of ['forgetTokens', 'reader'] as const) {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
          await play(steps, signal);
        }),
        { numRuns: 12, seed: (globalThis as unknown as { propertySeed: number }).propertySeed },
      );
    }
  });
});

/**
 * Simulates a portal with one token provider for all users. The portal signals a new reader with `forgetTokens()` or
 * with `reader`.
 */
async function play(steps: readonly string[], signal: 'forgetTokens' | 'reader'): Promise<void> {
  const bff = new StubBff('private');
  let user: string | undefined;
  let minted = 0;
  const provider = () =>
    user ? Promise.resolve(tokenOf(user, `${user} ${minted++}`)) : Promise.reject(new Response(null, { status: 401 }));
  const cards: PulseCard[] = [];
  const signIn = async (next: string | undefined) => {
    if (next === user) return;
    user = next;
    if (signal === 'forgetTokens') await forgetTokens();
    else for (const card of cards) card.reader = next ?? '';
  };
  const others = () => ['bob', 'alice'].filter((name) => name !== user);
  const check = () => {
    for (const card of cards) for (const other of others()) expect(shownIn(card)).not.to.contain(`For ${other}`);
  };
  for (const step of steps) {
    if (step === 'bob' || step === 'alice') await signIn(step);
    if (step === 'out') await signIn(undefined);
    if (step === 'mount' && cards.length < 3) {
      const card = await stageCard(bff, `ready-${cards.length}`, { loading: 'eager' });
      card.tokenProvider = provider;
      if (signal === 'reader') card.reader = user ?? '';
      cards.push(card);
    }
    if (step === 'unmount') cards[0]?.remove();
    if (step === 'move' && cards[0]) document.body.prepend(cards[0]);
    if (step === 'refresh') void cards.at(-1)?.refresh();
    if (step === 'expire') advance(300_000);
    if (step === 'settle') await new Promise((resolve) => setTimeout(resolve, 30));
    check();
    await Promise.resolve();
    check();
  }
  await new Promise((resolve) => setTimeout(resolve, 60));
  check();
  for (const card of cards) card.remove();
}
