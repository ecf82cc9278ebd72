import type { PulseBoard } from '../board/pulse-board.ts';
import type { PulseCard } from '../pulse-card.ts';
import type { PulseEvents } from '../pulse-events.ts';
import type { ELEMENTS } from './elements.ts';

/** The elements of this package by their tags. */
export type ElementTag = keyof typeof ELEMENTS;

/** The class behind a tag. */
export type ElementOf<Tag extends ElementTag> = HTMLElementTagNameMap[Tag];

type Names<Tag extends ElementTag> = (typeof ELEMENTS)[Tag];
type Attributes<Tag extends ElementTag> = Names<Tag>['attributes'];
type Events<Tag extends ElementTag> = Names<Tag>['events'];

/** What an event's handler is given. */
type EventOf<Name> = CustomEvent<Name extends keyof PulseEvents ? PulseEvents[Name] : unknown>;

/** Properties as the class has them, those that attributes reflect and the others: `sourceId`, `pulse`. */
export type PropertiesOf<Tag extends ElementTag> = {
  [Name in Extract<keyof Attributes<Tag> | Names<Tag>['properties'][number], keyof ElementOf<Tag>>]?:
    | ElementOf<Tag>[Name]
    | undefined;
};

/** Properties that no attribute holds: `pulse`. */
export type PlainPropertiesOf<Tag extends ElementTag> = Pick<
  PropertiesOf<Tag>,
  Extract<Names<Tag>['properties'][number], keyof PropertiesOf<Tag>>
>;

/** Attributes as HTML writes them: `source-id`. */
export type AttributesOf<Tag extends ElementTag> = {
  [Name in keyof Attributes<Tag> as Extract<Attributes<Tag>[Name], string>]?: Name extends keyof ElementOf<Tag>
    ? ElementOf<Tag>[Name] | undefined
    : never;
};

/** Handlers as components have them: `onPulseLoad`. */
export type HandlersOf<Tag extends ElementTag> = {
  [Name in keyof Events<Tag>]?: ((event: EventOf<Events<Tag>[Name]>) => void) | undefined;
};

/** Handlers as elements have them in JSX and Svelte: `onpulse-load`. */
export type ElementHandlersOf<Tag extends ElementTag> = {
  [Name in keyof Events<Tag> as `on${Extract<Events<Tag>[Name], string>}`]?:
    | ((event: EventOf<Events<Tag>[Name]>) => void)
    | undefined;
};

/**
 * Named here, so that whoever takes these types takes the tags with them.
 *
 * @public
 */
export type { PulseBoard, PulseCard };
