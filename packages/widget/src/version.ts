/** The version of this package; two copies on one page name it to tell each other apart, and language files carry it. */
export const VERSION: string = '0.1.0';
