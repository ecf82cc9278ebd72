'use client';

import {
  createContext,
  createElement,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  type Ref,
  useContext,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react';
import { PulseBoard as BoardElement, PulseCard as CardElement } from '../elements/index.ts';
import type { ElementOf, ElementTag, HandlersOf, PropertiesOf } from '../frameworks/element-types.ts';
import '../frameworks/jsx-react.ts';
import '../index.ts';

type Props<Tag extends ElementTag> = PropertiesOf<Tag> &
  HandlersOf<Tag> &
  HTMLAttributes<ElementOf<Tag>> & { token?: string | undefined; ref?: Ref<ElementOf<Tag>> | undefined };

/** The props of `<PulseCard>`: the card's properties and events, and those of any HTML element. */
export type PulseCardProps = Props<'pulse-card'>;

/** The props of `<PulseBoard>`: the board's properties and events, and those of any HTML element. */
export type PulseBoardProps = Props<'pulse-board'>;

/** The properties without an attribute, and the token, which must never be in the HTML. */
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

/** The BFF, the reader, and the tokens that cards and boards share. */
export type PulseConnection = Pick<PulseCardProps, 'baseUrl' | 'reader' | 'tokenProvider'>;

/** The props of `<PulseProvider>`. */
export interface PulseProviderProps extends PulseConnection {
  children?: ReactNode;
}

const Connection = createContext<PulseConnection>({});

/**
 * Sets `baseUrl`, `reader`, and `tokenProvider` for all cards and boards inside the provider. A card's or board's own
 * props override these values.
 */
export function PulseProvider({ baseUrl, reader, tokenProvider, children }: PulseProviderProps): ReactElement {
  const value = useMemo(() => ({ baseUrl, reader, tokenProvider }), [baseUrl, reader, tokenProvider]);
  return createElement(Connection, { value }, children);
}

/** `<pulse-card>` as a React component. */
export function PulseCard(props: PulseCardProps): ReactElement {
  return useElement('pulse-card', CardElement.observedAttributes, props);
}

/** `<pulse-board>` as a React component. */
export function PulseBoard(props: PulseBoardProps): ReactElement {
  return useElement('pulse-board', BoardElement.observedAttributes, props);
}

/**
 * React renders the attributes. This function sets the properties and events, because React 19 doesn't set them on a
 * custom element when it hydrates server-rendered HTML. It also removes attributes, because React 19 sets an omitted
 * `className` or `title` of a custom element to the text "undefined".
 */
function useElement<Tag extends ElementTag>(
  tag: Tag,
  observed: readonly string[],
  { ref, ...props }: Props<Tag>,
): ReactElement {
  const element = useRef<HTMLElement>(null);
  const shown = useRef<Values>({});
  const values = withConnection(props, useContext(Connection));
  useImperativeHandle(ref, () => element.current as ElementOf<Tag>, []);
  useLayoutEffect(() => {
    const listening = new AbortController();
    for (const [name, type] of Object.entries(EVENTS)) {
      const listener = (event: Event): void => (shown.current[name] as EventListener | undefined)?.(event);
      element.current?.addEventListener(type, listener, { signal: listening.signal });
    }
    return () => listening.abort();
  }, []);
  useLayoutEffect(() => {
    const hasChanged = (name: string): boolean => values[name] !== shown.current[name];
    const isSet = (name: string): number => Number(values[name] !== undefined);
    const changed = PROPERTIES.filter(hasChanged);
    // `token` and `tokenProvider` are mutually exclusive, so the property that is unset must be assigned first.
    for (const name of changed.toSorted((one, other) => isSet(one) - isSet(other)))
      Object.assign(element.current as HTMLElement, { [name]: values[name] });
    for (const name of Object.keys({ ...shown.current, ...values }).filter(hasChanged))
      if ((values[name] ?? null) === null) element.current?.removeAttribute(name === 'className' ? 'class' : name);
    shown.current = values;
    // Now that the element has its token and reader, it is allowed to send requests.
    element.current?.removeAttribute('defer-hydration');
  });
  const attributes = Object.entries(values)
    .filter(([name]) => !PROPERTIES.includes(name) && !(name in EVENTS))
    .map(([name, value]) => [observed.includes(kebab(name)) ? kebab(name) : name, value]);
  return createElement(tag, { ...Object.fromEntries(attributes), 'defer-hydration': '', ref: element });
}

type Values = Readonly<Record<string, unknown>>;

/** An element's props. Omitted props come from the connection. A token replaces the token provider. */
function withConnection(props: Values, { tokenProvider, ...connection }: PulseConnection): Values {
  const inherited = props['token'] === undefined ? { ...connection, tokenProvider } : connection;
  const omitted = Object.entries(inherited).filter(([name, value]) => value !== undefined && props[name] === undefined);
  return { ...props, ...Object.fromEntries(omitted) };
}

/** Turns `sourceId` into `source-id`. */
function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
