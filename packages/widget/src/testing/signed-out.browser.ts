import { expect } from 'chai';
import { buttonsOf, clearActions, watchClipboard } from './action-stage.ts';
import { eventually, loadedChart, stageCard, StubBff, tokenFor, until, withAlarms, within } from './stage.ts';

const tokenOf = (sub: string) => tokenFor(sub, 300, { sub });
const shownIn = (element: Element) => element.shadowRoot?.textContent ?? '';

/** Calls the built script's `forgetTokens()`, as a page does. */
function forgetTokens(): void {
  (customElements.get('pulse-card') as unknown as { forgetTokens(): void }).forgetTokens();
}

/** Events that make elements send new requests after a reader has been away. */
const RETURNS: Readonly<Record<string, () => void>> = {
  focus: () => void dispatchEvent(new Event('focus')),
  online: () => void dispatchEvent(new Event('online')),
};

describe('a static token after forgetTokens()', () => {
  afterEach(clearActions);

  for (const [what, comeBack] of Object.entries(RETURNS))
    it(`is never sent again: ${what}`, async () => {
      const bff = new StubBff('private');
      const card = await until(await stageCard(bff, 'ready-1', { token: tokenOf('bob') }), 'ready');
      forgetTokens();
      await until(card, 'error');
      comeBack();
      await card.refresh();
      expect(await bff.tokens()).to.have.length(1);
      expect([card.state, card.failure?.code]).to.deep.equal(['error', 'signed_out']);
      expect(shownIn(card)).not.to.contain('bob');
    });

  it('is never sent by an element that wasn’t on the page at the time', async () => {
    const bff = new StubBff('private');
    const card = await stageCard(bff, 'ready-1', { token: tokenOf('bob') });
    await until(card, 'ready');
    const [detached, unseen] = [card, document.createElement('pulse-card')];
    detached.remove();
    Object.assign(unseen, { sourceId: 'ready-2', baseUrl: bff.base, token: tokenOf('eve'), loading: 'eager' });
    forgetTokens();
    document.body.append(detached, unseen);
    await Promise.all([until(detached, 'error'), until(unseen, 'error')]);
    expect(await bff.tokens()).to.have.length(1);
  });

  it('can be set again immediately after the reader has signed in', () =>
    withAlarms(async () => {
      const bff = new StubBff('private');
      const card = await until(await stageCard(bff, 'ready-1', { token: tokenOf('bob') }), 'ready');
      forgetTokens();
      await until(card, 'error');
      card.token = tokenOf('bob');
      await until(card, 'ready');
      expect(shownIn(card)).to.contain('For bob');
    }));
});

describe('a card whose reader has signed out of the portal', () => {
  afterEach(clearActions);

  const BFF = 'ok,signed-out';

  it('keeps showing its pulse for ten minutes', () =>
    withAlarms(async (alarms) => {
      const card = await until(await stageCard(new StubBff(BFF), 'ready-1'), 'ready');
      expect(await card.refresh()).to.equal('stale');
      expect(within(card, '[part=status]').innerText.trim()).to.equal('Signed out');
      expect(card.failure?.code).to.equal('signed_out');
      await card.refresh();
      const ends = alarms.filter(({ afterMs }) => afterMs === 600_000);
      expect(ends).to.have.length(1);
      ends[0]?.ring();
      await until(card, 'error');
      expect([card.currentPulse, card.failure?.code]).to.deep.equal([null, 'signed_out']);
      expect(within(card, '[part=error]').innerText).to.contain('Sign in again');
    }));

  it('can’t copy, save, or enlarge the pulse', async () => {
    watchClipboard();
    const bff = new StubBff(BFF);
    const card = await until(await stageCard(bff, 'ready-1', { actions: 'copy save', loading: 'eager' }), 'ready');
    await loadedChart(card);
    within(card, '[part=enlarge]').click();
    await eventually(() => card.shadowRoot?.querySelector('dialog')?.open);
    await card.refresh();
    expect(card.shadowRoot?.querySelector('dialog')).to.equal(null);
    expect(card.shadowRoot?.querySelector('[part=enlarge]')).to.equal(null);
    expect(buttonsOf(card)).to.deep.equal([]);
    for (const call of [card.copyText(), card.toBlob()])
      expect(
        await call.then(
          () => 'done',
          () => 'rejected',
        ),
      ).to.equal('rejected');
  });

  it('shows nothing if it’s added afterward', async () => {
    const bff = new StubBff(BFF);
    const card = await until(await stageCard(bff, 'ready-1'), 'ready');
    await card.refresh();
    const other = await until(await stageCard(bff, 'ready-1', { loading: 'eager' }), 'error');
    expect([other.currentPulse, other.failure?.code]).to.deep.equal([null, 'signed_out']);
  });

  it('shows the pulse again after the reader signs in', async () => {
    const card = await until(await stageCard(new StubBff('ok,signed-out,ok'), 'ready-1'), 'ready');
    await card.refresh();
    dispatchEvent(new Event('focus'));
    await until(card, 'ready');
    within(card, '[part=enlarge]');
  });
});

describe('a card with a token whose response identifies another reader', () => {
  afterEach(clearActions);

  it('shows nothing from a response that a service worker stored for the other reader', async () => {
    const card = await stageCard(new StubBff('misnamed'), 'ready-1', { loading: 'eager', token: tokenOf('bob') });
    await until(card, 'error');
    expect([card.currentPulse, card.failure?.code]).to.deep.equal([null, 'signed_out']);
    expect(shownIn(card)).not.to.contain('For ');
  });

  for (const [what, sub] of [
    ['a simple name', 'bob'],
    ['a name with other characters', 'Zoë %/ü 1'],
  ] as const)
    it(`shows a response for its own reader: ${what}`, async () => {
      const card = await stageCard(new StubBff('named'), 'ready-1', { loading: 'eager', token: tokenOf(sub) });
      await until(card, 'ready');
    });

  it('removes its content when a later response identifies another reader', async () => {
    const card = await stageCard(new StubBff('named,misnamed'), 'ready-1', { loading: 'eager', token: tokenOf('bob') });
    await until(card, 'ready');
    await card.refresh();
    expect([card.state, card.currentPulse]).to.deep.equal(['error', null]);
  });
});
