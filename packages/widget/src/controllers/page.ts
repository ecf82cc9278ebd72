import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { onPolicyViolation } from '../diagnostics/policy-violations.ts';

/** Half of the smallest step that a relative time shows. */
const TICK_MS = 30_000;

/** An element that hears of what happens to the page. */
export interface PageHost extends ReactiveControllerHost {
  /** Called when the connection is back. */
  onOnline(): void;
}

/**
 * What is true of the whole page. `jitter`, 0 to 1, spreads the retries of many readers; on one page it is the same for all,
 * so that what was answered together is requested together again.
 */
export const page = { isPrinting: false, jitter: Math.random() };

const hosts = new Set<PageHost>();
let isListening = false;

/** Updates all connected elements of the page. */
export function updateAll(): void {
  for (const host of hosts) host.requestUpdate();
}

/** Updates its host when something changes that all elements share: visibility, printing, connection, time. */
export class PageController implements ReactiveController {
  readonly #host: PageHost;

  constructor(host: PageHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    hosts.add(this.#host);
    this.#host.requestUpdate();
    if (!isListening) listen();
    isListening = true;
  }

  hostDisconnected(): void {
    hosts.delete(this.#host);
  }
}

/** One listener of each kind serves all elements, for as long as the page is there. */
function listen(): void {
  const print = matchMedia('print');
  const onEvent = ({ type }: Event): void => {
    page.isPrinting = print.matches || type === 'beforeprint';
    updateAll();
  };
  for (const type of ['beforeprint', 'afterprint']) addEventListener(type, onEvent);
  addEventListener('online', () => hosts.forEach((host) => host.onOnline()));
  document.addEventListener('visibilitychange', onEvent);
  document.addEventListener('securitypolicyviolation', onPolicyViolation);
  print.addEventListener('change', onEvent);
  setInterval(() => document.hidden || updateAll(), TICK_MS);
}
