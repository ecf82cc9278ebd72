/**
 * Shows the sign-in form or the charts without a reload. Calls `onUser` with the user's name, or with '' after a
 * sign-out.
 *
 * @param {(user: string) => void} onUser
 */
export async function followSession(onUser) {
  const form = /** @type {HTMLFormElement} */ (document.querySelector('form'));
  const figures = /** @type {HTMLElement} */ (document.querySelector('main'));
  const fault = /** @type {HTMLElement} */ (document.querySelector('[role=alert]'));

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const body = JSON.stringify(Object.fromEntries(new FormData(form)));
    const response = await fetch('/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    fault.hidden = response.ok;
    if (response.ok) show((await response.json()).user);
  });

  document.querySelector('#sign-out')?.addEventListener('click', async () => {
    await fetch('/logout', { method: 'POST' });
    show('');
  });

  // When the Back button shows a page that the browser has cached, a different user might be signed in.
  addEventListener('pageshow', ({ persisted }) => persisted && showCurrent());
  await showCurrent();

  async function showCurrent() {
    const response = await fetch('/session');
    show(response.ok ? (await response.json()).user : '');
  }

  /** @param {string} user */
  function show(user) {
    form.reset();
    form.hidden = user !== '';
    figures.hidden = user === '';
    /** @type {HTMLElement} */ (document.querySelector('#user')).textContent = user;
    onUser(user);
  }
}
