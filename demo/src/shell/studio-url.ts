/**
 * The URL of the Studio. Each page contains the relative path from itself to the Studio (`<html
 * data-studio="../">`).
 */
export const STUDIO_URL: URL = new URL(document.documentElement.dataset['studio'] ?? './', document.baseURI);

/**
 * The BFF's URL for the Studio's own cards. It has the same origin as the Studio, so the cards don't need an allowed
 * origin or a token.
 */
export const BFF_URL: string = new URL('api/bff', STUDIO_URL).href;
