import { snippetFor } from '@pulse-card/widget/snippet';

const STYLE = `<style>
  body { max-width: 40rem; margin: 2rem auto; padding-inline: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
  header { display: flex; justify-content: space-between; align-items: center; }
  form:not(header form) { display: grid; gap: 0.75rem; max-width: 20rem; }
  input, button { font: inherit; padding: 0.4rem 0.6rem; }
  [role='alert'] { color: #b42318; }
</style>`;

/** Where one says who one is; `fault` says what went wrong. */
export function loginPage(fault = ''): string {
  return page(
    'Sign in',
    `<h1>Sign in</h1>${fault && `<p role="alert">${fault}</p>`}
<form method="post" action="/login">
  <label>Name <input name="user" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button>Sign in</button>
</form>`,
  );
}

/** What a reader who has signed in sees. */
export function portalPage(user: string): string {
  const snippet = snippetFor({ sourceId: 'src_us_employment', baseUrl: '/pulse', name: 'US employment' });
  return page(
    'Portal',
    `<header><h1>Portal</h1><form method="post" action="/logout">${escaped(user)} <button>Sign out</button></form></header>
<h2>Figures of the quarter</h2>
${snippet}`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><link rel="icon" href="data:,">${STYLE}</head><body>${body}</body></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
