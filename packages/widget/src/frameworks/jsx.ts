import type { JsxElements } from './jsx-elements.ts';

declare global {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends JsxElements {}
  }
}
