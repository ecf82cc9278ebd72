import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { advance, clearStage, eventually, openPage, stageCard, StubBff, tick, tokenFor, until } from './stage.ts';

const cardsOf = (frame: HTMLIFrameElement) => [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])];
const scriptOf = (bff: StubBff) => `<script type="module" src="${bff.base}/pulse-card.js"></script>`;

/** Puts a card on this page and sets its token provider before the card can request anything. */
async function stagePrivate(
  bff: StubBff,
  provider: () => string | Promise<string>,
  id = 'ready-1',
): Promise<PulseCard> {
  const card = await stageCard(bff, id, { loading: 'eager' });
  card.tokenProvider = provider;
  return card;
}

describe('a private embed', () => {
  afterEach(clearStage);

  it('requests one token for all cards on the page and sends one data request', async () => {
    const bff = new StubBff('private');
    const ids = Array.from({ length: 20 }, (_, at) => `ready-${at}`);
    const cards = ids.map((id) => `<pulse-card source-id="${id}" loading="eager"></pulse-card>`).join('');
    const frame = await openPage(
      // This is one module. A busy browser might pause between two modules for longer than the cards wait for their
      // tokens.
      `${cards}<script type="module">
        import '${bff.base}/pulse-card.js';
        window.asked = 0;
        const token = ${JSON.stringify(tokenFor('good'))};
        const provider = async () => (window.asked++, token);
        for (const card of document.querySelectorAll('pulse-card')) card.tokenProvider = provider;
      </script>`,
    );
    await eventually(() => cardsOf(frame).length === 20 && cardsOf(frame).every(({ state }) => state === 'ready'));
    expect((frame.contentWindow as unknown as { asked: number }).asked).to.equal(1);
    expect(await bff.asked()).to.have.length(1);
  });

  it('if its token is rejected, requests one new token and then shows the pulse', async () => {
    const bff = new StubBff('private');
    const tokens = [tokenFor('old'), tokenFor('new')];
    const given = [...tokens];
    const card = await stagePrivate(bff, () => given.shift() ?? '');
    await until(card, 'ready');
    expect(await bff.tokens()).to.deep.equal(tokens);
    expect(given).to.deep.equal([]);
  });

  it('calls the provider again when it returns to an earlier server', async () => {
    const [bff, other] = [new StubBff('private'), new StubBff('private')];
    let asked = 0;
    const card = await until(await stagePrivate(bff, () => (asked++, tokenFor('good'))), 'ready');
    card.baseUrl = other.base;
    await eventually(() => asked === 2);
    await until(card, 'ready');
    card.baseUrl = bff.base;
    await eventually(() => asked === 3);
  });

  it('doesn’t show the next reader that the provider failed for the reader before', async () => {
    const card = await until(await stagePrivate(new StubBff('private'), () => tokenFor('good')), 'ready');
    const codes: string[] = [];
    card.addEventListener('pulse-error', ({ detail }) => codes.push(detail.code));
    const answers = [
      Promise.reject(Object.assign(new Error('No'), { status: 401 })),
      Promise.resolve(tokenFor('good')),
    ];
    // The provider has been in use for so long that a new one is used immediately.
    advance(6_000);
    card.tokenProvider = () => answers.shift() as Promise<string>;
    card.reader = 'someone else';
    await eventually(() => answers.length === 0);
    await until(card, 'ready');
    expect(codes).to.deep.equal([]);
  });

  it('fails and logs one line if the new token is also rejected', async () => {
    const bff = new StubBff('private');
    let asked = 0;
    const errors: { code: string; status: number; retriable: boolean }[] = [];
    addEventListener('pulse-error', ({ detail }) => errors.push(detail), { once: true });
    const card = await stagePrivate(bff, () => tokenFor(`old${asked++}`));
    await until(card, 'error');
    await eventually(() => errors.length);
    expect(errors[0]).to.include({ code: 'token_invalid', status: 401, retriable: false });
    expect(asked).to.equal(2);
    expect(await bff.tokens()).to.have.length(2);
  });

  it('renews its token before it expires, without a layout shift', async () => {
    const bff = new StubBff('private');
    const names: string[] = [];
    // The token expires so soon that the next request renews it.
    const card = await stagePrivate(bff, () => (names.push('short'), tokenFor('short', 9, { sub: 'alice' })));
    await until(card, 'ready');
    card.open = true;
    await card.updateComplete;
    const top = card.shadowRoot?.firstElementChild;
    await card.refresh();
    expect(card.state).to.equal('ready');
    expect(card.open).to.equal(true);
    expect(card.shadowRoot?.firstElementChild).to.equal(top);
    expect(names).to.have.length(2);
  });

  it('retries if the page has no token at first', async () => {
    const bff = new StubBff('private');
    let asked = 0;
    const card = await stagePrivate(bff, () =>
      asked++ ? Promise.resolve(tokenFor('good')) : Promise.reject(new Error('portal down')),
    );
    await until(card, 'ready');
    expect(asked).to.equal(2);
    expect(await bff.asked()).to.have.length(1);
  });

  it('recovers when a provider is set after a failure', async () => {
    const bff = new StubBff('private');
    const card = await until(await stageCard(bff, 'ready-1'), 'error');
    card.tokenProvider = () => tokenFor('good');
    await until(card, 'ready');
  });

  it('sends a new request when a provider is set after the card was removed and put back', async () => {
    const bff = new StubBff();
    const card = await until(await stageCard(bff, 'ready-1'), 'ready');
    const place = card.parentElement as HTMLElement;
    card.remove();
    await new Promise((resolve) => setTimeout(resolve));
    place.append(card);
    card.tokenProvider = () => tokenFor('good');
    await eventually(async () => (await bff.asked()).length === 2);
  });

  it('removes the token attribute after reading it', async () => {
    const bff = new StubBff('private');
    const token = tokenFor('good');
    const frame = await openPage(
      `<pulse-card source-id="ready-1" token="${token}" loading="eager"></pulse-card>${scriptOf(bff)}`,
    );
    await eventually(() => cardsOf(frame)[0]?.state === 'ready');
    const [card] = cardsOf(frame);
    expect(card?.outerHTML).not.to.contain(token);
    expect(card?.getAttributeNames()).to.deep.equal(['source-id', 'loading']);
    expect(await bff.tokens()).to.deep.equal([token]);
  });

  it('uses a token and a provider that were set before the script loaded', async () => {
    const bff = new StubBff('private');
    const html = '<pulse-card source-id="ready-1" loading="eager"></pulse-card>';
    const property = `<script>document.querySelector('pulse-card').token = ${JSON.stringify(tokenFor('good'))}</script>`;
    const frame = await openPage(html + property + scriptOf(bff));
    await eventually(() => cardsOf(frame)[0]?.state === 'ready');
    const provider = `<script>document.querySelector('pulse-card').tokenProvider = () => ${JSON.stringify(tokenFor('two'))}</script>`;
    const other = await openPage(html + provider + scriptOf(bff));
    await eventually(() => cardsOf(other)[0]?.state === 'ready');
  });

  it('ignores an empty token attribute and keeps the provider', async () => {
    const bff = new StubBff('private');
    const token = tokenFor('good');
    const html = '<pulse-card source-id="ready-1" loading="eager" token=""></pulse-card>';
    const provider = `<script>document.querySelector('pulse-card').tokenProvider = () => ${JSON.stringify(token)}</script>`;
    const frame = await openPage(html + provider + scriptOf(bff));
    await eventually(() => cardsOf(frame)[0]?.state === 'ready');
    const card = cardsOf(frame)[0] as PulseCard;
    card.setAttribute('token', '');
    await card.updateComplete;
    await card.refresh();
    expect(card.state).to.equal('ready');
    expect(await bff.tokens()).to.deep.equal([token, token]);
  });

  it('sends its token only to its BFF and never in a URL or with a chart request', async () => {
    const bff = new StubBff('private');
    const other = new StubBff('private');
    const token = tokenFor('good');
    const card = await stagePrivate(bff, () => token);
    const injected = await stageCard(other, 'ready-1');
    await until(card, 'ready');
    await until(injected, 'error');
    expect(await other.tokens()).to.deep.equal([]);
    const addresses = performance.getEntriesByType('resource').map(({ name }) => name);
    const own = addresses.filter((address) => address.startsWith(bff.base));
    expect([...own, ...(await bff.asked(''))].join('\n'))
      .to.contain('ids=ready-1')
      .and.not.to.contain(token);
    await eventually(async () => (await bff.asked('chart.png')).length);
    expect(await bff.tokens()).to.deep.equal([token]);
  });

  it('keeps each element’s tokens separate', async () => {
    const bff = new StubBff('private');
    const [one, two, none] = await Promise.all(
      ['ready-1', 'ready-2', 'ready-3'].map((id) => stageCard(bff, id, { loading: 'eager' })),
    );
    if (!one || !two || !none) throw new Error('Can’t continue: a card is missing');
    const tokens = [tokenFor('one'), tokenFor('two')];
    one.tokenProvider = () => tokens[0] ?? '';
    two.tokenProvider = () => tokens[1] ?? '';
    await Promise.all([until(one, 'ready'), until(two, 'ready'), until(none, 'error')]);
    expect(await bff.tokens()).to.have.members(tokens);
    expect(await bff.asked()).to.have.length(3);
  });

  it('shares one request between elements with the same token', async () => {
    const bff = new StubBff('private');
    const token = tokenFor('good');
    const cards = await Promise.all(
      ['ready-1', 'ready-2'].map((id) => stageCard(bff, id, { token, loading: 'eager' })),
    );
    await Promise.all(cards.map((card) => until(card, 'ready')));
    expect(await bff.tokens()).to.deep.equal([token]);
  });

  it('stops sending tokens and removes private content when the provider is unset', async () => {
    const bff = new StubBff('private');
    const card = await stagePrivate(bff, () => tokenFor('good'));
    await until(card, 'ready');
    card.tokenProvider = undefined;
    await until(card, 'error');
    expect(await bff.tokens()).to.have.length(1);
    expect(await bff.asked()).to.have.length(2);
    expect(card.shadowRoot?.querySelector('[part=summary]') === null).to.equal(true);
  });

  it('loads a board’s list and cards', async () => {
    const bff = new StubBff('private');
    await stageCard(bff, 'ready-1');
    clearStage();
    const board = document.createElement('pulse-board');
    board.baseUrl = bff.base;
    board.loading = 'eager';
    board.tokenProvider = () => tokenFor('good');
    board.className = 'stage';
    document.body.append(board);
    await eventually(() => board.state === 'ready');
    const cards = () => [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])];
    await eventually(() => cards().length > 0 && cards().some(({ state }) => state === 'ready'));
    board.remove();
  });

  it('uses its token for a live card’s requests', async () => {
    const bff = new StubBff('private');
    const card = await stagePrivate(bff, () => tokenFor('good'));
    card.live = true;
    await card.updateComplete;
    await until(card, 'ready');
    // A tick is ignored until the browser has reported that the card is in view.
    await eventually(async () => (tick(), (await bff.tokens()).length >= 2));
  });
});
