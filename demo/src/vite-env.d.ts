/// <reference types="vite/client" />

/** The guides of docs/, as `guidesPlugin()` renders them. */
declare module 'virtual:guides' {
  /** An element in a sample. */
  export interface Sample {
    readonly tagName: 'pulse-card' | 'pulse-board';
    readonly attributes: Readonly<Record<string, string>>;
  }

  /** A guide of docs/. */
  export interface Guide {
    readonly id: string;
    readonly title: string;
    /** The headings in its table of contents. */
    readonly headings: readonly { readonly id: string; readonly text: string }[];
    /** Its HTML. Below a part with a sample, the Studio shows the sample’s element. */
    readonly parts: readonly { readonly html: string; readonly sample?: Sample }[];
  }

  export const GUIDES: readonly Guide[];
}
