import { expect } from 'chai';
import type { PulseBoard, PulseCard } from '../elements/index.ts';
import { renderPulseCard, type RenderOptions } from '../ssr/index.ts';
import {
  clearStage,
  eventually,
  restorePage,
  stageBoard,
  stageCard,
  storePage,
  StubBff,
  tokenFor,
  until,
} from './stage.ts';

const SECRET = /For alice|chart\.png|US nonfarm/;
const tokenOf = (sub: string) => tokenFor(sub, 300, { sub });
const signIn = (user: string) => (document.cookie = `reader=${user}`);

/** Everything in an element that a browser could paint or that a script could read. */
function contentOf(element: PulseCard | PulseBoard): string {
  return (
    element.innerHTML +
    (element.shadowRoot?.innerHTML ?? '') +
    JSON.stringify((element as Partial<PulseCard>).currentPulse ?? null)
  );
}

/** Puts a card on this page, as a server has rendered it for the reader alice. */
async function stageRendered(bff: StubBff, options: Partial<RenderOptions> = {}): Promise<PulseCard> {
  await stageCard(bff, '');
  const pulse = {
    jobRunId: 'run_1',
    sourceId: 'ready-1',
    sourceName: 'US nonfarm employment',
    imageUrl: `${bff.base}/chart.png`,
    aiSummaryShort: 'For alice',
  };
  const answer = { pulse, meta: { stale: false, requestedAt: new Date().toISOString() } };
  const stage = document.createElement('div');
  stage.className = 'stage';
  document.body.append(stage);
  stage.setHTMLUnsafe(renderPulseCard(answer, { sourceId: 'ready-1', baseUrl: bff.base, ...options }));
  return until(stage.firstElementChild as PulseCard, 'ready');
}

/** Puts a card on this page that contains only the data that a server has written for the reader alice. */
async function stageData(bff: StubBff): Promise<PulseCard> {
  const pulse = { jobRunId: 'run_1', sourceId: 'ready-1', aiSummaryShort: 'For alice' };
  const data = { sourceId: 'ready-1', ok: true, meta: { requestedAt: new Date().toISOString() }, pulse };
  const card = document.createElement('pulse-card');
  card.innerHTML = `<script type="application/json" data-id="ready-1">${JSON.stringify(data)}</script>`;
  await stageCard(bff, '');
  Object.assign(card, { sourceId: 'ready-1', baseUrl: bff.base, loading: 'eager' });
  document.body.append(card);
  return until(card, 'ready');
}

async function stageAlices(bff: StubBff, properties: Partial<PulseCard>): Promise<PulseCard> {
  const card = document.createElement('pulse-card');
  card.innerHTML = '<p>For alice, in the fallback</p>';
  await stageCard(bff, '');
  Object.assign(card, { sourceId: 'ready-1', baseUrl: bff.base, loading: 'eager', ...properties });
  document.body.append(card);
  return until(card, 'ready');
}

describe('a page in the back/forward cache (T-94)', () => {
  beforeEach(() => void signIn('alice'));
  afterEach(() => {
    clearStage();
    document.cookie = 'reader=; max-age=0';
  });

  const causes = {
    'a token': (bff) => stageAlices(bff, { token: tokenOf('alice') }),
    'a provider': (bff) => stageAlices(bff, { tokenProvider: () => tokenOf('alice') }),
    'a reader': (bff) => stageAlices(bff, { reader: 'alice' }),
    'a private answer': (bff) => stageAlices(bff, {}),
    'server-rendered content': (bff) => stageRendered(bff),
    'server-rendered data': stageData,
  } satisfies Record<string, (bff: StubBff) => Promise<PulseCard>>;

  for (const [cause, stage] of Object.entries(causes))
    it(`contains nothing from a card that is private because of ${cause}`, async () => {
      const bff = new StubBff(cause === 'a private answer' ? 'own' : 'ok');
      const card = await stage(bff);
      expect(contentOf(card)).to.match(SECRET);
      const before = (await bff.asked()).length;
      storePage();
      expect(contentOf(card)).not.to.match(SECRET);
      expect(card.currentPulse).to.equal(null);
      await card.refresh();
      restorePage();
      expect(contentOf(card)).not.to.match(SECRET);
      await until(card, 'ready');
      expect((await bff.asked()).length - before).to.equal(1);
    });

  it('shows the content for the reader who is signed in when the page is shown again', async () => {
    const bff = new StubBff('own');
    const card = await stageAlices(bff, {});
    storePage();
    signIn('bob');
    restorePage();
    await until(card, 'ready');
    expect(card.currentPulse?.aiSummaryShort).to.equal('For bob');
  });

  it('revalidates the response that the browser has cached when the page is shown again', async () => {
    const card = await stageAlices(new StubBff('own'), {});
    storePage();
    const modes: (RequestCache | undefined)[] = [];
    const { fetch } = globalThis;
    globalThis.fetch = (url, init) => {
      modes.push(init?.cache);
      return fetch(url, init);
    };
    restorePage();
    await until(card, 'ready').finally(() => (globalThis.fetch = fetch));
    expect(modes).to.deep.equal(['no-cache']);
  });

  it('calls the provider again instead of reusing a stored token', async () => {
    const bff = new StubBff('private');
    let user = 'alice';
    const card = await stageAlices(bff, { tokenProvider: () => tokenOf(user) });
    storePage();
    user = 'bob';
    restorePage();
    await until(card, 'ready');
    expect(card.currentPulse?.aiSummaryShort).to.equal('For bob');
  });

  it('shows an error instead of stale content if the request fails', async () => {
    const bff = new StubBff('own,503-after-60');
    const card = await stageAlices(bff, {});
    storePage();
    const states: string[] = [];
    card.addEventListener('pulse-state', ({ detail }) => states.push(detail.state));
    restorePage();
    await until(card, 'error');
    expect(states).not.to.include('stale');
    expect(card.currentPulse).to.equal(null);
    expect(contentOf(card)).not.to.match(SECRET);
  });

  it('doesn’t contain an enlarged view, an announcement, or a pulse that the page set as a property', async () => {
    const bff = new StubBff('own');
    const card = await stageAlices(bff, {});
    card.shadowRoot?.querySelector<HTMLElement>('[part=enlarge]')?.click();
    await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
    const { currentPulse } = card;
    const given = await stageAlices(bff, { reader: 'alice', pulse: currentPulse });
    storePage();
    expect(card.shadowRoot?.querySelector('dialog')).to.equal(null);
    expect(document.querySelector('[role=status]')).to.equal(null);
    expect([given.pulse, given.currentPulse]).to.deep.equal([null, null]);
  });

  it('contains nothing from a private board or its cards', async () => {
    const bff = new StubBff('own,list:own');
    const board = await until(await stageBoard(bff, { loading: 'eager' }), 'ready');
    const card = () => board.shadowRoot?.querySelector('pulse-card');
    await until(card() as PulseCard, 'ready');
    const before = card() as PulseCard;
    storePage();
    expect(card()).to.equal(null);
    expect(contentOf(board)).not.to.match(SECRET);
    expect(contentOf(before)).not.to.match(/For alice|chart/);
    restorePage();
    await until(board, 'ready');
    expect((await bff.asked('/v1/sources')).length).to.equal(2);
    await until(card() as PulseCard, 'ready');
  });

  it('doesn’t show old content if a private card is added again later', async () => {
    const bff = new StubBff('own');
    const card = await stageAlices(bff, {});
    card.remove();
    storePage();
    signIn('bob');
    restorePage();
    document.body.append(card);
    expect(contentOf(card)).not.to.match(SECRET);
    await until(card, 'ready');
    expect(card.currentPulse?.aiSummaryShort).to.equal('For bob');
  });

  for (const [what, stage] of [
    ['an answer for all readers', (bff: StubBff) => stageAlices(bff, {})],
    ['a mark of the server', (bff: StubBff) => stageRendered(bff, { isPublic: true })],
  ] as const)
    it(`keeps a card that is public because of ${what}, without a request`, async () => {
      const bff = new StubBff();
      const card = await stage(bff);
      const [content, asked] = [contentOf(card), (await bff.asked()).length];
      storePage();
      restorePage();
      await card.updateComplete;
      expect([contentOf(card), card.state, (await bff.asked()).length]).to.deep.equal([content, 'ready', asked]);
    });

  it('doesn’t clear the cards if the browser discards the page', async () => {
    const card = await stageAlices(new StubBff('own'), {});
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: false }));
    expect(contentOf(card)).to.match(SECRET);
  });
});
