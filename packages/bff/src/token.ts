/** Deprecated: import from `@pulse-card/token`, which needs no server. */
export { type MintingKey, mintToken, type TokenUse } from '@pulse-card/token';
