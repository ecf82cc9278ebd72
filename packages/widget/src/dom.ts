// These functions take members of `document` and `window` from their prototypes.
// Otherwise, an element could shadow a member that matches its name or ID (DOM clobbering).

/** The first element on the page that matches `selector`. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- callers know the element's type
export function find<Kind extends Element = Element>(selector: string): Kind | null {
  return Document.prototype.querySelector.call(document, selector) as Kind | null;
}

/** The elements on the page that match `selector`, in document order. */
export function findAll<Kind extends Element = HTMLElement>(selector: string, page: Document = document): Kind[] {
  return [...Document.prototype.querySelectorAll.call(page, selector)] as Kind[];
}

/** Creates an element. */
export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  page: Document = document,
): HTMLElementTagNameMap[Tag] {
  return Document.prototype.createElement.call(page, tag) as HTMLElementTagNameMap[Tag];
}

/** A property of the page, such as `body`. */
export function propertyOf<Name extends keyof Document>(name: Name, page: Document = document): Document[Name] {
  return Reflect.get(Document.prototype, name, page) as Document[Name];
}

/** Window and document events. */
interface PageEvents extends WindowEventMap, Pick<DocumentEventMap, 'visibilitychange'> {}

/**
 * Adds a listener to the page's window, or to another target. In tests that simulate a page, the global object isn't
 * that window.
 */
export function listen<Type extends keyof PageEvents>(
  type: Type,
  listener: (event: PageEvents[Type]) => void,
  options?: AddEventListenerOptions,
  target: EventTarget = propertyOf('defaultView') as Window,
): void {
  EventTarget.prototype.addEventListener.call(target, type, listener as EventListener, options);
}
