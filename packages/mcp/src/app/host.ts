// The view's side of MCP Apps (SEP-1865, 2026-01-26): JSON-RPC over postMessage. The SDK's class for this would add 500
// kB.

/** The part of the host's context that the view uses. */
export interface HostContext {
  readonly theme?: 'light' | 'dark';
  /** A BCP 47 tag. */
  readonly locale?: string;
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> };
}

/** The part of a tool's result that the view uses. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly data?: string }[];
}

/** The view's callbacks for a new context and a tool's result. */
interface HostListener {
  onContext(context: HostContext): void;
  onToolResult(result: ToolResult): void;
}

interface Message {
  readonly jsonrpc?: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: HostContext & ToolResult;
  readonly result?: { readonly hostContext?: HostContext };
}

const INITIALIZE_ID = 1;

/** Initializes the view with its host and passes the host's messages to the callbacks. */
export function connectToHost(version: string, listener: HostListener): void {
  addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
    if (source === parent && data?.jsonrpc === '2.0') receive(data, listener);
  });
  const app = { appInfo: { name: 'pulse-card', version }, appCapabilities: { availableDisplayModes: ['inline'] } };
  const params = { ...app, protocolVersion: '2026-01-26' };
  send({ id: INITIALIZE_ID, method: 'ui/initialize', params });
}

/** Reports the view's height whenever it changes. */
function reportHeight({ body }: Document): void {
  new ResizeObserver(() => {
    const height = Math.ceil(body.getBoundingClientRect().height);
    send({ method: 'ui/notifications/size-changed', params: { height } });
  }).observe(body);
}

function receive({ id, method, params, result }: Message, listener: HostListener): void {
  if (id === INITIALIZE_ID && result) {
    listener.onContext(result.hostContext ?? {});
    send({ method: 'ui/notifications/initialized', params: {} });
    reportHeight(document);
  } else if (method === 'ui/notifications/host-context-changed') listener.onContext(params ?? {});
  else if (method === 'ui/notifications/tool-result') listener.onToolResult(params ?? {});
  else if (method === 'ping' || method === 'ui/resource-teardown') send({ id, result: {} });
  else if (method !== undefined && id !== undefined)
    send({ id, error: { code: -32_601, message: 'Method not found' } });
}

/** The host's origin isn't known. The messages contain nothing secret, because all their data comes from the host. */
function send(message: object): void {
  parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
}
