import type { HTMLAttributes } from 'svelte/elements';
import type { AttributesOf, ElementHandlersOf, ElementOf, ElementTag, PlainPropertiesOf } from './element-types.ts';

type Elements = {
  [Tag in ElementTag]: HTMLAttributes<ElementOf<Tag>> &
    AttributesOf<Tag> &
    PlainPropertiesOf<Tag> &
    ElementHandlersOf<Tag>;
};

declare module 'svelte/elements' {
  export interface SvelteHTMLElements extends Elements {}
}
