/** The address of the BFF that this page was built for. */
export const BFF_URL: string = document.querySelector<HTMLMetaElement>('meta[name="pulse-bff"]')?.content ?? '';
