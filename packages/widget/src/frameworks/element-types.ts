import type { LitElement } from 'lit';
import type { PulseEvents } from '../elements/events.ts';
import type { PulseBoard } from '../elements/pulse-board/element.ts';
import type { PulseCard } from '../elements/pulse-card/element.ts';

/** The members that pages can only read or call. Pages can set all others. */
type NotSettable = 'state' | 'failure' | 'currentPulse' | 'refresh' | 'copyText' | 'toBlob' | 'token' | `_${string}`;

/** The properties that pages can set on each element. */
interface ElementProperties {
  'pulse-card': Omit<PulseCard, keyof LitElement | NotSettable>;
  'pulse-board': Omit<PulseBoard, keyof LitElement | NotSettable>;
}

type SharedEvents =
  | 'pulse-state'
  | 'pulse-load'
  | 'pulse-update'
  | 'pulse-view'
  | 'pulse-empty'
  | 'pulse-error'
  | 'pulse-toggle'
  | 'pulse-enlarge'
  | 'pulse-action';

/** Each element's events. */
interface ElementEvents {
  'pulse-card': Pick<PulseEvents, SharedEvents>;
  'pulse-board': Pick<PulseEvents, SharedEvents | 'pulse-board-load'>;
}

/** The tags of this package's elements. */
export type ElementTag = keyof ElementProperties;

/** The element class for a tag. */
export type ElementOf<Tag extends ElementTag> = HTMLElementTagNameMap[Tag];

/** Properties without an attribute. */
type PlainProperty = 'pulse' | 'tokenProvider' | 'reader';

/** Properties, keyed by their names in the class, such as `sourceId` and `pulse`. */
export type PropertiesOf<Tag extends ElementTag> = Optional<ElementProperties[Tag]>;

/** Properties without an attribute, such as `pulse`. */
export type PlainPropertiesOf<Tag extends ElementTag> = {
  [Name in Extract<keyof ElementProperties[Tag], PlainProperty>]?: ElementProperties[Tag][Name] | undefined;
};

/** Attributes, keyed by their HTML names, such as `source-id`. */
export type AttributesOf<Tag extends ElementTag> = {
  token?: string | undefined;
  'defer-hydration'?: '' | boolean | undefined;
} & {
  [Name in Exclude<keyof ElementProperties[Tag] & string, PlainProperty> as Kebab<Name>]?:
    | ElementProperties[Tag][Name]
    | undefined;
};

/** An element's handler for one of its events. */
type HandlerOf<Tag extends ElementTag, Name extends keyof ElementEvents[Tag]> = (
  event: CustomEvent<ElementEvents[Tag][Name]> & { readonly currentTarget: ElementOf<Tag> },
) => void;

/** Event handlers of framework components, such as `onPulseLoad`. */
export type HandlersOf<Tag extends ElementTag> = {
  [Name in keyof ElementEvents[Tag] & string as `on${Pascal<Name>}`]?: HandlerOf<Tag, Name> | undefined;
};

/** The elements' event handlers in JSX and Svelte, such as `onpulse-load`. */
export type ElementHandlersOf<Tag extends ElementTag> = {
  [Name in keyof ElementEvents[Tag] & string as `on${Name}`]?: HandlerOf<Tag, Name> | undefined;
};

type Optional<T> = { [Name in keyof T]?: T[Name] | undefined };

/** Turns `sourceId` into `source-id`. */
type Kebab<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : Text;

/** Turns `pulse-load` into `PulseLoad`. */
type Pascal<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Text>;

/**
 * Re-exported so that importing these types also loads the tag-name types.
 *
 * @public
 */
export type { PulseBoard, PulseCard };
