/**
 * The version of this package. The names of language files contain this version. If a page loads two copies of the
 * script, the log contains both versions.
 */
export const VERSION: string = '0.1.0';
