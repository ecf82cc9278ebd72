/** The version of this package. Language files have it in their names. If a page loads two copies, the log line names both versions. */
export const VERSION: string = '0.1.0';
