/// <reference types="vite/client" />

/** A page of docs/, as `guidesPlugin()` reads it. */
declare module '*.md' {
  import type { Token } from 'marked';

  const tokens: readonly Token[];
  export default tokens;
}
