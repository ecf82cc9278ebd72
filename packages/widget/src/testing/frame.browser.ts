import { expect } from 'chai';
import { eventually } from './stage.ts';

/** A frame on this page. If `src` has the script's origin, the script treats the frame as one from its BFF. */
async function openFrame(src: string): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  // `about:blank` stays unchanged, so that `eval` runs in the existing document.
  frame.src = src === 'about:blank' ? src : `${src}#?secret=pulse`;
  frame.height = '100';
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  await loaded;
  return frame;
}

/** Posts a message from the page within `frame` to this page. */
function say(frame: HTMLIFrameElement, data: string): void {
  (frame.contentWindow as Window & { eval(code: string): void }).eval(`parent.postMessage(${data}, '*')`);
}

/** A message in the format that WordPress uses. */
function height(value: string, secret = 'pulse'): string {
  return `{ message: 'height', value: ${value}, secret: '${secret}' }`;
}

describe('pulse-frame.js (T-46)', () => {
  beforeEach(() => import(/* @vite-ignore */ `${location.origin}/dist/pulse-frame.js`));
  afterEach(() => {
    for (const frame of document.querySelectorAll('iframe')) frame.remove();
  });

  it('T-46: gives a frame the height that its page requests, from 40 to 4,000 pixels', async () => {
    const frame = await openFrame('/page?html=ours');
    for (const [asked, given] of [
      ['300', '300'],
      ['1', '40'],
      ['1e9', '4000'],
      ['Infinity', '4000'],
    ] as const) {
      say(frame, height(asked));
      await eventually(() => frame.height === given);
    }
  });

  it('logs the URL of a frame that doesn’t send a message within two seconds of loading', async () => {
    const wait = window.setTimeout.bind(window);
    const warn = console.warn.bind(console);
    const waits: { run: () => void; ms: number }[] = [];
    const lines: string[] = [];
    Object.assign(window, { setTimeout: (run: () => void, ms = 0) => (waits.push({ run, ms }), wait(run, ms)) });
    console.warn = (line: string) => lines.push(line);
    try {
      const frame = await openFrame('/page?html=silent');
      await eventually(() => waits.some(({ ms }) => ms > 1_000 && ms <= 2_000));
      waits.find(({ ms }) => ms > 1_000 && ms <= 2_000)?.run();
      const { host, pathname } = new URL(frame.src);
      expect(lines.join()).to.include(`Can’t show ${host}${pathname} in a frame`);
    } finally {
      Object.assign(window, { setTimeout: wait });
      console.warn = warn;
    }
  });

  it('T-46: ignores messages in any other format', async () => {
    const frame = await openFrame('/page?html=ours');
    for (const shape of [
      'null',
      '7',
      '"x"',
      '[]',
      '{}',
      '{ pulseFrameHeight: 900 }',
      '{ height: 900 }',
      height('"900"'),
      height('NaN'),
      height('-5'),
      height('0'),
      height('[900]'),
      height('900', 'another'),
      `{ message: 'height', value: 900 }`,
      `{ message: 'link', value: 900, secret: 'pulse' }`,
    ])
      say(frame, shape);
    // Messages arrive in order. Once this one has arrived, so have the earlier ones.
    say(frame, height('321'));
    await eventually(() => frame.height !== '100');
    expect(frame.height).to.equal('321');
  });

  it('T-46: ignores messages from this page and from other frames', async () => {
    const [frame, stranger] = [await openFrame('/page?html=ours'), await openFrame('about:blank')];
    const heights: string[] = [];
    const observer = new MutationObserver(() => heights.push(frame.height));
    observer.observe(frame, { attributeFilter: ['height'] });
    postMessage({ message: 'height', value: 900, secret: 'pulse' }, '*');
    say(stranger, height('900'));
    say(frame, height('321'));
    await eventually(() => frame.height === '321');
    observer.disconnect();
    expect(heights).to.deep.equal(['321']);
    expect(stranger.height).to.equal('100');
  });
});
