import { createPolicy } from './trusted-types.ts';

/** Brings a value to its place. */
type Commit = (value: unknown) => void;

/** A class, so that nothing an answer holds can pass for a template. */
class Result {
  readonly strings: TemplateStringsArray;
  readonly values: readonly unknown[];

  constructor(strings: TemplateStringsArray, values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** A template that was parsed, and where its values go: the number of the node, and the attribute where it is one. */
type Template = readonly [content: DocumentFragment, places: readonly (readonly [at: number, name?: string])[]];

/** Within a tag the value of an attribute, anywhere else an empty comment: templates have neither of their own. */
const MARK = '<!>';

const policy = createPolicy();
const templates = new WeakMap<TemplateStringsArray, Template>();
const walker = document.createTreeWalker(document, 129);

/** Shows nothing as a content, takes the attribute away as the value of one. */
export const nothing = undefined;

/** A template and its values. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Result {
  return new Result(strings, values);
}

/** Shows `value` in `root`; what is the same as the last time is left alone. */
export function render(value: unknown, root: Node & { _$show?: Commit }): void {
  (root._$show ??= contentAt(root.appendChild(new Comment())))(value);
}

/** A template, a list or a text, shown before `mark` and behind what stands there already. */
function contentAt(mark: ChildNode): Commit {
  const before = mark.previousSibling;
  let shown: unknown;
  let commit: Commit;
  return (value) => {
    const kind = Array.isArray(value) ? listAt : value instanceof Result ? value.strings : textAt;
    if (shown !== kind) {
      // Where something that is not ours took `before` away, all before the mark goes.
      for (let node; (node = mark.previousSibling) && node !== before;) node.remove();
      shown = kind;
      commit = typeof kind === 'function' ? kind(mark) : templateAt(mark, kind, value);
    }
    commit(value);
  };
}

function textAt(mark: ChildNode): Commit {
  const text = new Text();
  mark.before(text);
  return (value) => {
    const data = `${(value as string | number | null | undefined) ?? ''}`;
    if (text.data !== data) text.data = data;
  };
}

/** Each item keeps its place; one that is gone leaves it empty. */
function listAt(mark: ChildNode): Commit {
  const items: Commit[] = [];
  return (value) => {
    const values = value as readonly unknown[];
    for (let at = 0; at < items.length || at < values.length; at++) {
      if (!items[at]) {
        const own = new Comment();
        mark.before(own);
        items[at] = contentAt(own);
      }
      (items[at] as Commit)(values[at]);
    }
  };
}

/** Values come before the page sees the nodes, so that elements start with all they need. */
function templateAt(mark: ChildNode, strings: TemplateStringsArray, first: unknown): Commit {
  if (!templates.has(strings)) templates.set(strings, parse(strings));
  const [content, places] = templates.get(strings) as Template;
  const nodes = document.importNode(content, true);
  const commits: Commit[] = [];
  walk(nodes, (node, nodeAt) => {
    for (const [at, name] of places) {
      if (at === nodeAt) commits.push(name ? attributeOf(node as Element, name) : contentAt(node as ChildNode));
    }
  });
  const commit = (value: unknown) => commits.forEach((set, at) => set((value as Result).values[at]));
  commit(first);
  mark.before(nodes);
  return commit;
}

/** The attribute `name` of `element`; `.name` is a property. */
function attributeOf(element: Element, name: string): Commit {
  let last: unknown;
  return (value) => {
    if (value === last) return;
    last = value;
    if (name[0] === '.') (element as unknown as Record<string, unknown>)[name.slice(1)] = value;
    else if (value === nothing) element.removeAttribute(name);
    else element.setAttribute(name, value as string);
  };
}

function parse(strings: TemplateStringsArray): Template {
  const template = document.createElement('template');
  const text = strings.join(MARK);
  template.innerHTML = policy ? policy.createHTML(text) : text;
  const places: [number, string?][] = [];
  walk(template.content, (node, at) => {
    if (node instanceof Comment) places.push([at]);
    else
      for (const name of (node as Element).getAttributeNames()) {
        if ((node as Element).getAttribute(name) !== MARK) continue;
        (node as Element).removeAttribute(name);
        places.push([at, name]);
      }
  });
  return [template.content, places];
}

function walk(root: Node, visit: (node: Node, at: number) => void): void {
  walker.currentNode = root;
  for (let at = 0; walker.nextNode(); at++) visit(walker.currentNode, at);
  // What was walked may go.
  walker.currentNode = document;
}
