import {
  createElement,
  type HTMLAttributes,
  type ReactElement,
  type RefAttributes,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import { ELEMENTS } from './elements.ts';
import type { ElementOf, ElementTag, HandlersOf, PropertiesOf } from './element-props.ts';

type Own<Tag extends ElementTag> = PropertiesOf<Tag> & HandlersOf<Tag>;

/** What a wrapped element takes: its properties, `onPulseLoad` and the like, and all that any element takes; `ref` is the element. */
export type WrappedProps<Tag extends ElementTag> = Own<Tag> &
  Omit<HTMLAttributes<ElementOf<Tag>>, keyof Own<Tag>> &
  RefAttributes<ElementOf<Tag>>;

/** A React component that renders one element. */
export type WrappedElement<Tag extends ElementTag> = (props: WrappedProps<Tag>) => ReactElement;

type Values = Readonly<Record<string, unknown>>;

interface Names {
  readonly attributes: Readonly<Record<string, string>>;
  readonly properties: readonly string[];
  readonly events: Readonly<Record<string, string>>;
}

/** Before the browser paints; servers, which paint nothing, have only the other. */
const useElementEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/** Wraps the element `tag`: what attributes hold is rendered, on servers too; what they can't hold is set as a property. */
export function wrapped<Tag extends ElementTag>(tag: Tag): WrappedElement<Tag> {
  const names: Names = ELEMENTS[tag];
  function Wrapped({ ref, ...props }: WrappedProps<Tag>): ReactElement {
    const values = props as Values;
    const element = useRef<ElementOf<Tag>>(null);
    useImperativeHandle(ref, () => element.current as ElementOf<Tag>);
    for (const property of names.properties) useProperty(element, property, values[property]);
    return createElement(tag, { ...rendered(values, names), ref: element });
  }
  Wrapped.displayName = tag;
  return Wrapped;
}

/** React itself would write a property as an attribute while the element is not yet defined. One that is given no more is null. */
function useProperty(element: RefObject<HTMLElement | null>, name: string, value: unknown): void {
  const isGiven = useRef(false);
  useElementEffect(() => {
    if (!element.current || (value === undefined && !isGiven.current)) return;
    isGiven.current = true;
    (element.current as unknown as Record<string, unknown>)[name] = value ?? null;
  }, [element, name, value]);
}

/** What React renders: attributes and handlers under the names that an element knows, and all that is not its own affair. */
function rendered(values: Values, { attributes, properties, events }: Names): Values {
  const nameOf = (name: string): string => attributes[name] ?? (name in events ? `on${events[name]}` : name);
  const entries = Object.entries(values).filter(([name]) => !properties.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [nameOf(name), value]));
}
