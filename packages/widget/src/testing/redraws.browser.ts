import { expect } from 'chai';
import type { PulseCard } from '../elements/index.ts';
import { clearStage, eventually, loadAfterPaint, stageCard, StubBff, until, untilAtRest, within } from './stage.ts';

/** Counts how often cards are drawn from now on. */
function countDraws(cards: readonly PulseCard[]): () => number {
  let draws = 0;
  for (const card of cards) card.addController({ hostUpdate: () => void draws++ });
  return () => draws;
}

/** Counts how often cards are redrawn while `story` runs and in the 300 ms after that. */
async function drawsOf(cards: readonly PulseCard[], story: () => void): Promise<number> {
  await untilAtRest(cards);
  const draws = countDraws(cards);
  story();
  await new Promise((resolve) => setTimeout(resolve, 300));
  return draws();
}

async function stageMany(attributes: Readonly<Record<string, string>> = {}): Promise<PulseCard[]> {
  const bff = new StubBff();
  const staged = Array.from({ length: 10 }, (_, at) =>
    stageCard(bff, `ready-${at}`, { variant: 'text', ...attributes }),
  );
  const cards = await Promise.all(staged);
  for (const card of cards) card.loading = 'eager';
  await Promise.all(cards.map((card) => until(card, 'ready')));
  return cards;
}

const root = document.documentElement;

describe('a page that changes its html or body', () => {
  before(loadAfterPaint);
  afterEach(() => {
    clearStage();
    for (const name of ['style', 'class', 'lang', 'dir', 'data-x']) root.removeAttribute(name);
  });

  for (const [what, change] of [
    ['a custom property', () => root.style.setProperty('--x', '1')],
    ['a class', () => root.classList.add('scrolled')],
    ['a data attribute', () => document.body.setAttribute('data-x', '1')],
  ] as const)
    it(`doesn’t redraw its cards for ${what}`, async () => {
      const cards = [...(await stageMany()), ...(await stageMany({ 'chart-theme': 'auto' }))];
      expect(await drawsOf(cards, change)).to.equal(0);
      document.body.removeAttribute('data-x');
    });

  it('redraws only cards with chart-theme="auto" when the page turns dark', async () => {
    const [plain, auto] = [await stageMany(), await stageMany({ 'chart-theme': 'auto' })];
    expect(await drawsOf(plain, () => (root.style.colorScheme = 'dark'))).to.equal(0);
    await eventually(() => within(auto[0] as PulseCard, '.base').classList.contains('dark-chart'));
  });

  it('shares one ResizeObserver and one formatter between its cards', async () => {
    await stageMany();
    const { ResizeObserver } = globalThis;
    const { RelativeTimeFormat } = Intl;
    let created = 0;
    const counted = <Kind extends new (...args: never[]) => object>(kind: Kind): Kind =>
      new Proxy(kind, { construct: (target, args) => ((created += 1), Reflect.construct(target, args) as object) });
    globalThis.ResizeObserver = counted(ResizeObserver);
    Reflect.set(Intl, 'RelativeTimeFormat', counted(RelativeTimeFormat));
    try {
      await stageMany();
    } finally {
      globalThis.ResizeObserver = ResizeObserver;
      Reflect.set(Intl, 'RelativeTimeFormat', RelativeTimeFormat);
    }
    expect(created).to.equal(0);
  });

  // The next two tests must be last: after each of them, `lang` is removed, which redraws the cards in the next test.
  it('doesn’t redraw its cards if it sets the same language again', async () => {
    root.lang = 'en';
    const cards = await stageMany();
    // The redraws for the language itself must have finished.
    while ((await drawsOf(cards, () => undefined)) > 0);
    expect(await drawsOf(cards, () => (root.lang = 'en'))).to.equal(0);
  });

  it('redraws its cards for a new language', async () => {
    const cards = await stageMany();
    const draws = countDraws(cards);
    root.lang = 'fr';
    await eventually(() => draws() >= cards.length);
  });
});
