// oxlint-disable-next-line import/no-empty-named-blocks, unicorn/require-module-specifiers -- loads the types that this file extends
import type {} from 'preact';
import type { JsxElements } from './jsx-elements.ts';

declare module 'preact' {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends JsxElements {}
  }
}
