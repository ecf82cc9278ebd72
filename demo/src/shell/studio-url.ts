/**
 * The address of the Studio. Each page contains the relative path from itself to the Studio (`<html
 * data-studio="../">`).
 */
export const STUDIO_URL: URL = new URL(document.documentElement.dataset['studio'] ?? './', document.baseURI);

/**
 * The BFF's address for the Studio's own cards. It has the same origin as the Studio, so these cards need no allowed
 * origin and no token.
 */
export const BFF_URL: string = new URL('api/bff', STUDIO_URL).href;
