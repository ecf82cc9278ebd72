/**
 * The version of this package. Language files have this version in their names. If a page loads two different versions
 * of the script, a console message names both.
 */
export const VERSION: string = '0.1.0';
