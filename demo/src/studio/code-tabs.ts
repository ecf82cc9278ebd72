/** The places where code can be pasted, in groups. `needs` lists what the code for a place requires. */
export const CODE_TABS = [
  { id: 'html', title: 'HTML', group: 'Web page', needs: 'script' },
  { id: 'short', title: 'Short HTML', group: 'Web page', needs: 'script' },
  { id: 'iframe', title: 'iframe', group: 'Web page', needs: 'public' },
  { id: 'wordpress', title: 'WordPress', group: 'Web page', needs: 'script' },
  { id: 'oembed', title: 'oEmbed URL', group: 'Web page', needs: 'public' },
  { id: 'react', title: 'React', group: 'Application', needs: 'package' },
  { id: 'vue', title: 'Vue', group: 'Application', needs: 'package' },
  { id: 'svelte', title: 'Svelte', group: 'Application', needs: 'package' },
  { id: 'angular', title: 'Angular', group: 'Application', needs: 'package' },
  { id: 'server', title: 'Server', group: 'Application', needs: 'package' },
  { id: 'image', title: 'Image', group: 'Elsewhere', needs: 'public' },
  { id: 'markdown', title: 'Markdown', group: 'Elsewhere', needs: 'public' },
  { id: 'mail', title: 'Email', group: 'Elsewhere', needs: 'public' },
  { id: 'chat', title: 'Chat', group: 'Elsewhere', needs: 'chat' },
] as const;

/** A place for the code. */
export type CodeTab = (typeof CODE_TABS)[number]['id'];

/** What the code for a place needs: a script tag, an npm package, public charts, or a chat client. */
export function needsOf(tab: CodeTab): (typeof CODE_TABS)[number]['needs'] {
  return CODE_TABS.find(({ id }) => id === tab)?.needs ?? 'script';
}

/** Whether the code contains a script tag that can be pinned to one version. */
export function canPin(tab: CodeTab): boolean {
  return needsOf(tab) === 'script' || tab === 'server';
}
