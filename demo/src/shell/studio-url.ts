/** The address of the Studio. Each page contains its relative path to it (`<html data-studio="../">`). */
export const STUDIO_URL: URL = new URL(document.documentElement.dataset['studio'] ?? './', document.baseURI);

/**
 * The BFF's address for the Studio's own cards. It has the same origin, so neither an allowed origin nor a token is
 * needed.
 */
export const BFF_URL: string = new URL('api/bff', STUDIO_URL).href;
