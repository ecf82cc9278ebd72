// oxlint-disable-next-line import/no-empty-named-blocks, unicorn/require-module-specifiers -- loads the types that this file extends
import type {} from 'solid-js/jsx-runtime';
import type { ElementTag, PlainPropertiesOf } from './element-types.ts';
import type { JsxElements } from './jsx-elements.ts';

/** Solid sets anything prefixed with `prop:` as a property. */
type SolidElements = {
  [Tag in ElementTag]: JsxElements[Tag] & {
    [Name in keyof PlainPropertiesOf<Tag> & string as `prop:${Name}`]?: PlainPropertiesOf<Tag>[Name];
  };
};

declare module 'solid-js/jsx-runtime' {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends SolidElements {}
  }
}
