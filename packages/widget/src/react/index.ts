'use client';

import {
  createElement,
  type DetailedHTMLProps,
  type HTMLAttributes,
  type ReactElement,
  type Ref,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import type {
  AttributesOf,
  ElementHandlersOf,
  ElementOf,
  ElementTag,
  HandlersOf,
  PlainPropertiesOf,
  PropertiesOf,
} from '../frameworks/element-types.ts';
import '../index.ts';

type Props<Tag extends ElementTag> = PropertiesOf<Tag> &
  HandlersOf<Tag> &
  HTMLAttributes<ElementOf<Tag>> & { token?: string | undefined; ref?: Ref<ElementOf<Tag>> | undefined };

/** The props of `<PulseCard>`: the properties and events of the element, and those of any element. */
export type PulseCardProps = Props<'pulse-card'>;

/** The props of `<PulseBoard>`: the properties and events of the element, and those of any element. */
export type PulseBoardProps = Props<'pulse-board'>;

/** Attributes that are not called like their property. */
const ATTRIBUTES: Readonly<Partial<Record<string, string>>> = {
  sourceId: 'source-id',
  baseUrl: 'base-url',
  headingLevel: 'heading-level',
  chartTheme: 'chart-theme',
  aiReviewedBy: 'ai-reviewed-by',
  aiReviewedRun: 'ai-reviewed-run',
  summaryLang: 'summary-lang',
};

/** Properties that no attribute holds, and the token, which is never in the HTML. */
const PROPERTIES: readonly string[] = ['token', 'tokenProvider', 'reader', 'pulse'];

const EVENTS: Readonly<Record<keyof HandlersOf<'pulse-board'>, string>> = {
  onPulseState: 'pulse-state',
  onPulseLoad: 'pulse-load',
  onPulseUpdate: 'pulse-update',
  onPulseView: 'pulse-view',
  onPulseEmpty: 'pulse-empty',
  onPulseError: 'pulse-error',
  onPulseToggle: 'pulse-toggle',
  onPulseEnlarge: 'pulse-enlarge',
  onPulseAction: 'pulse-action',
  onPulseBoardLoad: 'pulse-board-load',
};

/** `<pulse-card>` as a React component. */
export function PulseCard(props: PulseCardProps): ReactElement {
  return useElement('pulse-card', props);
}

/** `<pulse-board>` as a React component. */
export function PulseBoard(props: PulseBoardProps): ReactElement {
  return useElement('pulse-board', props);
}

/**
 * React renders the attributes. Properties and events are set here, because React 19 sets neither on a custom element when
 * it hydrates server-rendered HTML.
 */
function useElement(tag: ElementTag, { ref, ...props }: Props<ElementTag>): ReactElement {
  const element = useRef<HTMLElement>(null);
  const before = useRef<Readonly<Record<string, unknown>>>({});
  const values: Readonly<Record<string, unknown>> = props;
  useImperativeHandle(ref, () => element.current as ElementOf<ElementTag>, []);
  useLayoutEffect(() => {
    const isSet = (name: string): number => Number(values[name] !== undefined);
    const changed = PROPERTIES.filter((name) => values[name] !== before.current[name]);
    // `token` and `tokenProvider` are one thing: what is unset goes first.
    for (const name of changed.toSorted((one, other) => isSet(one) - isSet(other)))
      Object.assign(element.current as HTMLElement, { [name]: values[name] });
    before.current = values;
    // The element requests nothing before it has its token and its reader.
    element.current?.removeAttribute('defer-hydration');
  });
  useLayoutEffect(() => {
    const listening = new AbortController();
    for (const [name, type] of Object.entries(EVENTS)) {
      const listener = values[name] as EventListener | undefined;
      if (listener) element.current?.addEventListener(type, listener, { signal: listening.signal });
    }
    return () => listening.abort();
  });
  const attributes = Object.entries(values)
    .filter(([name]) => !PROPERTIES.includes(name) && !(name in EVENTS))
    .map(([name, value]) => [ATTRIBUTES[name] ?? name, value]);
  return createElement(tag, { ...Object.fromEntries(attributes), 'defer-hydration': '', ref: element });
}

type Intrinsic = {
  [Tag in ElementTag]: DetailedHTMLProps<HTMLAttributes<ElementOf<Tag>>, ElementOf<Tag>> &
    AttributesOf<Tag> &
    PlainPropertiesOf<Tag> &
    ElementHandlersOf<Tag> & { class?: string | undefined };
};

declare module 'react' {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends Intrinsic {}
  }
}
