import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { call, connectTo, serveBffWithChart } from './testing/chat.ts';

const bff = await serveBffWithChart();
after(() => bff[Symbol.asyncDispose]());
const client = await connectTo({ bff: bff.url });

async function readApp() {
  const { tools } = await client.listTools();
  const { ui } = (tools.find(({ name }) => name === 'get_pulse')?._meta ?? {}) as { ui?: { resourceUri: string } };
  const { contents } = await client.readResource({ uri: ui?.resourceUri ?? '' });
  assert.equal(contents.length, 1);
  return contents[0] as { uri: string; mimeType: string; text: string; _meta: { ui: Record<string, unknown> } };
}

describe('The MCP App', () => {
  it('is one HTML resource that get_pulse refers to', async () => {
    const { uri, mimeType, text } = await readApp();
    assert.match(uri, /^ui:\/\//);
    assert.equal(mimeType, 'text/html;profile=mcp-app');
    assert.ok(text.startsWith('<!doctype html>'));
    const { resources } = await client.listResources();
    assert.deepEqual(
      resources.map((resource) => resource.uri),
      [uri],
    );
  });

  it('doesn’t require network hosts, permissions, or other files', async () => {
    const { text, _meta } = await readApp();
    assert.deepEqual(_meta.ui, { prefersBorder: false });
    const [markup = '', script = ''] = text.split('<script type="module">');
    assert.doesNotMatch(markup, /<(script|img|link|iframe)|url\(|@import/);
    // The text isn't compared, because a failure would print 100 kB.
    for (const loads of [/\bimport\(/, /\bimport[ {]/, /sourceMappingURL/])
      assert.ok(!loads.test(script), String(loads));
  });

  it('has a single script element that its own content can’t close', async () => {
    const { text } = await readApp();
    assert.equal(text.split('</script').length, 2);
    assert.ok(!text.includes('<!--'));
  });

  it('contains 16 languages, the card, and the code that runs only after a button is pressed', async () => {
    const { text } = await readApp();
    for (const word of ['pulse-card', 'Analyse lesen', 'isEnlarged']) assert.ok(text.includes(word), word);
    assert.ok(text.length < 200_000, `${text.length} characters`);
  });

  it('isn’t required, because the tool’s result also contains everything as text and as an image', async () => {
    bff.show();
    const { text, image } = await call(client, 'get_pulse', { sourceId: 'src_1' });
    assert.ok(text.includes('Revenue') && image !== undefined);
  });
});
