import { expect } from 'chai';
import { clearStage, eventually, linesOf, openPage, stageCard, StubBff, until } from './stage.ts';

describe('the console', () => {
  afterEach(clearStage);

  const script = (bff: StubBff) => `<script type="module" src="${bff.base}/pulse-card.js"></script>`;

  /** Opens a page, waits until its cards are in one of `states`, and returns the lines that the page logged. */
  async function consoleOf(html: string, states: readonly string[], options: Readonly<Record<string, string>> = {}) {
    const lines: string[] = [];
    const frame = await openPage(
      html,
      options,
      600,
      (page) => (page.console.warn = (line: string) => lines.push(line)),
    );
    const cards = [...(frame.contentDocument?.querySelectorAll('pulse-card') ?? [])];
    await eventually(() => cards.length && cards.every(({ state }) => states.includes(state)));
    await eventually(() => lines.length);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { lines, cards };
  }

  it('logs the BFF’s message once for all cards', async () => {
    const bff = new StubBff('403');
    const card = '<pulse-card source-id="ready-1" loading="eager"></pulse-card>';
    const { lines } = await consoleOf(script(bff) + card.repeat(12), ['error']);
    expect(lines).to.deep.equal([
      `pulse-card: Can’t load from ${bff.base} on ${location.origin} (403 origin_forbidden): origin_forbidden by a test`,
    ]);
  });

  it('logs nothing for a card whose source-id is set later', async () => {
    const bff = new StubBff();
    const lines = await linesOf(async () => {
      const card = await stageCard(bff, '');
      await card.updateComplete;
      card.sourceId = 'ready-1';
      await until(card, 'ready');
    });
    expect(lines).to.deep.equal([]);
  });

  it('names the policy as a possible cause if a chart can’t be loaded', async () => {
    const foreign = location.origin.replace('localhost', '127.0.0.1');
    const bff = new StubBff('ok', foreign);
    const csp = `default-src 'none'; script-src ${foreign}; connect-src ${foreign}; img-src 'self'`;
    const { lines } = await consoleOf(
      `${script(bff)}<pulse-card source-id="ready-1" loading="eager"></pulse-card>`,
      ['ready'],
      { csp },
    );
    expect(lines).to.deep.equal([
      `pulse-card: Can’t load ${bff.base}/chart.png; check that it exists and that img-src allows it`,
    ]);
  });
});
