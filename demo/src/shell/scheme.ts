/** Lets the reader choose the colour scheme, and keeps the choice. */
export function watchScheme(): void {
  const { dataset } = document.documentElement;
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name="scheme"]')) {
    input.checked = input.value === dataset['scheme'];
    input.addEventListener('change', () => {
      dataset['scheme'] = input.value;
      localStorage.setItem('scheme', input.value);
    });
  }
}
