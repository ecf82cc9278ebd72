/**
 * The version of this package. The names of language files contain this version. If a page loads two different versions
 * of the script, a console message names both.
 */
export const VERSION: string = '0.1.0';
