/** Copies a text; where the page may not write to the clipboard (no TLS), selects it in `shown` and says false. */
export async function copySnippet(snippet: string, shown: Element | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(snippet);
    return true;
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown);
    return false;
  }
}
