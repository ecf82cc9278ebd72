const own = Document.prototype;

/** The `document` methods that Lit calls, taken from the prototype. */
export const documentMethods = {
  createComment: (data: string): Comment => own.createComment.call(document, data),
  createElement: (name: string): HTMLElement => own.createElement.call(document, name),
  createTextNode: (data: string): Text => own.createTextNode.call(document, data),
  importNode: (node: Node, isDeep: boolean): Node => own.importNode.call(document, node, isDeep),
  createTreeWalker: (_root: unknown, whatToShow: number): object => {
    const walker = own.createTreeWalker.call(document, document, whatToShow);
    return {
      nextNode: () => walker.nextNode(),
      get currentNode(): Node {
        return walker.currentNode;
      },
      // Lit returns to the document after it has walked a template.
      set currentNode(node: unknown) {
        walker.currentNode = node === documentMethods ? document : (node as Node);
      },
    };
  },
};

const page: Pick<typeof globalThis, 'ShadowRoot'> & { readonly trustedTypes?: unknown } = globalThis;

/** A global variable that Lit creates and then reads without `globalThis`. */
export const litPropertyMetadata: object = new WeakMap();

/**
 * The global variables that Lit reads. `trustedTypes` is an own property of `window`. Named elements are only
 * inherited.
 */
export const litGlobals = {
  ShadowRoot,
  litPropertyMetadata,
  trustedTypes: Object.hasOwn(page, 'trustedTypes') ? page.trustedTypes : undefined,
};
