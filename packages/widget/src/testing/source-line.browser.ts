import { expect } from 'chai';
import type { PulseAction } from '../elements/events.ts';
import { clearStage, stageCard, StubBff, until, within } from './stage.ts';

describe('a card’s source line', () => {
  beforeEach(async () => {
    const href = '/node_modules/@fontsource-variable/inter/index.css';
    if (document.querySelector(`[href="${href}"]`)) return;
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
    document.head.append(link);
    await new Promise((resolve) => link.addEventListener('load', resolve));
  });
  afterEach(clearStage);

  it('shows the provider and opens exposed links in a new tab', async () => {
    const card = await until(await stageCard(new StubBff(), 'linked-1'), 'ready');
    expect(within(card, '[part=source] small').textContent).to.equal('Google');
    const links = [...(card.shadowRoot?.querySelectorAll<HTMLAnchorElement>('[part=source] a') ?? [])];
    expect(links.map(({ textContent, href, target }) => [textContent, href, target])).to.deep.equal([
      ['Open in the dashboard', 'https://dashboard.test/sources/src_1', '_blank'],
      ['View delivery', 'https://delivery.test/run_1', '_blank'],
    ]);
  });

  for (const sourceId of ['ready-1', 'hostilelink-1'])
    it(`is omitted if the BFF doesn’t expose a safe URL: ${sourceId}`, async () => {
      const card = await until(await stageCard(new StubBff(), sourceId), 'ready');
      expect(within(card, '[part=source]').textContent).to.equal('');
      expect(card.shadowRoot?.querySelector('footer a')).to.equal(null);
    });

  it('is replaced by the content in the source slot', async () => {
    const card = await until(await stageCard(new StubBff(), 'linked-1'), 'ready');
    const link = within(card, '[part=source] a');
    const own = Object.assign(document.createElement('span'), { slot: 'source', textContent: 'Ours' });
    card.append(own);
    expect(link.checkVisibility()).to.equal(false);
    expect(own.checkVisibility()).to.equal(true);
  });

  for (const zoom of [0.67, 0.9, 1, 1.1])
    it(`marks the provider with a solid dot: zoom ${zoom}`, async () => {
      const card = await until(await stageCard(new StubBff(), 'linked-1', { style: `zoom:${zoom}` }), 'ready');
      const { width, borderLeftWidth, borderRightWidth } = getComputedStyle(within(card, '.dot'));
      const [outer = 0, ...borders] = [width, borderLeftWidth, borderRightWidth].map(parseFloat);
      expect(outer - borders.reduce((sum, border) => sum + border)).to.be.below(0.01);
    });

  it('shows the whole dot even if there is no space for the provider’s name', async () => {
    const card = await until(await stageCard(new StubBff(), 'linked-1'), 'ready');
    within(card, '[part=source]').style.width = '0';
    expect(within(card, '[part=source] small').clientWidth).to.equal(8);
  });

  it('dispatches an event when the reader clicks a link', async () => {
    const card = await until(await stageCard(new StubBff(), 'linked-1'), 'ready');
    const actions: PulseAction[] = [];
    card.addEventListener('pulse-action', ({ detail }) => actions.push(detail.action));
    const link = within(card, '[part=source] a');
    link.addEventListener('click', (event) => event.preventDefault());
    link.click();
    expect(actions).to.deep.equal(['open-source']);
  });

  for (const [width, actions] of [
    ['240px', ''],
    ['240px', 'copy save'],
    ['250px', 'copy save'],
    ['360px', 'copy save'],
    ['360px', ''],
    ['600px', ''],
  ] as const)
    it(`stays on one line, next to the toggle: ${width}${actions && ', with actions'}`, async () => {
      const style = `width:${width};font-family:'Inter Variable'`;
      const card = await stageCard(new StubBff(), 'linked-1', { style, actions });
      await until(card, 'ready');
      await document.fonts.load('16px "Inter Variable"');
      const [line, toggle] = ['[part=source]', '[part=toggle]'].map((part) =>
        within(card, part).getBoundingClientRect(),
      ) as [DOMRect, DOMRect];
      expect(line.height).to.be.below(30);
      expect(line.right).to.be.at.most(toggle.left + 1);
      for (const link of card.shadowRoot?.querySelectorAll('[part=source] a') ?? []) {
        const { right, width: linkWidth, height } = link.getBoundingClientRect();
        expect(right).to.be.at.most(line.right + 1);
        expect(right).to.be.at.most(toggle.left + 1);
        expect(linkWidth).to.be.above(10);
        expect(height).to.be.at.least(24);
      }
    });
});
