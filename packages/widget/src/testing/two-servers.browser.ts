import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { pulseOf } from '../fake-bff/index.ts';
import { clearStage, eventually, stageCard, StubBff, until, within } from './stage.ts';

describe('cards from two servers on one page', () => {
  afterEach(clearStage);

  const noteOf = (card: PulseCard) => within(card, '[part=note]').textContent;
  const evil = { lang: 'de', aiGenerated: 'Von Menschen geprüft', aiReviewedBy: 'Geprüft', readAnalysis: 'Böse' };

  /** Adds a card with a translation that its server has written into the page. */
  async function stageEvil(bff: StubBff, sourceId = 'ready-1'): Promise<PulseCard> {
    // The stage loads the script.
    await stageCard(bff, 'ready-9');
    const card = document.createElement('pulse-card');
    Object.assign(card, { sourceId, lang: 'de', loading: 'eager' });
    card.setAttribute('base-url', bff.base);
    const entry = { sourceId, ok: true, meta: { requestedAt: new Date().toISOString() }, pulse: pulseOf(sourceId) };
    const data = { ...entry, translation: { language: 'de', messages: evil } };
    card.innerHTML = `<script type="application/json" data-id="${sourceId}">${JSON.stringify(data)}</script>`;
    document.body.append(card);
    return until(card, 'ready');
  }

  for (const order of ['before', 'after'])
    it(`aren’t changed by another server’s translation on the page ${order} them`, async () => {
      const [good, bad] = [new StubBff(), new StubBff()];
      const first = order === 'after' ? await stageCard(good, 'ready-1', { lang: 'de', loading: 'eager' }) : undefined;
      const other = await stageEvil(bad);
      const card = await until(first ?? (await stageCard(good, 'ready-1', { lang: 'de', loading: 'eager' })), 'ready');
      await eventually(() => within(card, '[part=toggle]').textContent === 'Analyse lesen');
      expect(noteOf(card)).to.contain('KI-generiert');
      expect(noteOf(other)).to.contain('Von Menschen');
    });

  it('aren’t changed by the translation in a card that only claims to be from their server', async () => {
    const good = new StubBff();
    const other = await stageEvil(good);
    const card = await until(await stageCard(good, 'ready-1', { lang: 'de', loading: 'eager' }), 'ready');
    await eventually(() => noteOf(card)?.includes('KI-generiert'), 5_000);
    expect(noteOf(other)).to.contain('Von Menschen');
  });

  it('aren’t changed by another server’s language file', async () => {
    const [good, bad] = [new StubBff(), new StubBff('mislabels')];
    const other = await until(await stageCard(bad, 'ready-1', { lang: 'de', loading: 'eager' }), 'ready');
    await eventually(() => noteOf(other)?.includes('Von Menschen'));
    const card = await until(await stageCard(good, 'ready-1', { lang: 'de', loading: 'eager' }), 'ready');
    await eventually(() => noteOf(card)?.includes('KI-generiert'));
  });

  it('share the translations that the page registers', async () => {
    const Card = customElements.get('pulse-card') as unknown as typeof PulseCard;
    const cards = await Promise.all(
      [new StubBff(), new StubBff()].map((bff) => stageCard(bff, 'ready-1', { lang: 'ia', loading: 'eager' })),
    );
    await Promise.all(cards.map((card) => until(card, 'ready')));
    Card.registerTranslation('ia', { aiGenerated: 'Generate per IA' });
    await eventually(() => cards.every((card) => noteOf(card)?.includes('Generate per IA')));
  });
});
