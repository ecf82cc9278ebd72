// A chat client in a page. The client uses the packages that MCP's authors publish: client, transport, and the host's
// side of MCP Apps.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** What the host tells the app about itself. */
export interface HostContext {
  readonly theme?: 'light' | 'dark';
  readonly locale?: string;
  readonly containerDimensions?: { readonly width: number };
}

/** A tool call whose result the chat shows. */
export interface ShownCall {
  readonly mcpUrl: string;
  readonly sourceId: string;
  readonly context: HostContext;
  /** The URL of the page between the host and the app. */
  readonly sandboxUrl: string;
}

export interface ChatHost {
  /** Calls `get_pulse` and shows the result in its app. Resolves once the app has reported its height. */
  show(call: ShownCall): Promise<void>;
  /** Shows another result in the same app. */
  showResult(result: object): Promise<void>;
  setContext(context: HostContext): void;
  teardown(): Promise<void>;
}

declare global {
  interface Window {
    chat: ChatHost;
  }
}

let bridge: AppBridge;

window.chat = {
  async show({ mcpUrl, sandboxUrl, sourceId, context }) {
    const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
    const client = new Client({ name: 'chat', version: '1.0.0' }, { capabilities: { extensions } });
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl)));
    const html = await appOf(client);
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
    frame.title = 'App';
    document.querySelector('main')?.replaceChildren(frame);
    const app = frame.contentWindow as Window;
    bridge = new AppBridge(client, { name: 'chat', version: '1.0.0' }, {}, { hostContext: { ...context } });
    const sized = new Promise<void>((resolve) => {
      bridge.addEventListener('sizechange', ({ height = 0 }) => {
        frame.style.height = `${height}px`;
        if (height > 100) resolve();
      });
    });
    const initialized = new Promise<void>((resolve) => bridge.addEventListener('initialized', () => resolve()));
    await bridge.connect(new PostMessageTransport(app, app));
    bridge.addEventListener('sandboxready', () => void bridge.sendSandboxResourceReady({ html }));
    frame.src = sandboxUrl;
    await initialized;
    await bridge.sendToolInput({ arguments: { sourceId } });
    await bridge.sendToolResult(await client.callTool({ name: 'get_pulse', arguments: { sourceId } }));
    await sized;
  },
  showResult: (result) => bridge.sendToolResult(result as Parameters<AppBridge['sendToolResult']>[0]),
  setContext: (context) => bridge.setHostContext({ ...context }),
  teardown: async () => void (await bridge.teardownResource({})),
};

/** The HTML for the app that `get_pulse` refers to. */
async function appOf(client: Client): Promise<string> {
  const { tools } = await client.listTools();
  const meta = tools.find(({ name }) => name === 'get_pulse')?._meta as { ui: { resourceUri: string } } | undefined;
  const [content] = (await client.readResource({ uri: meta?.ui.resourceUri ?? '' })).contents;
  if (content === undefined || !('text' in content)) throw new Error('The app has no text');
  return content.text;
}
