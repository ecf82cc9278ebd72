export * from './keys.ts';
export * from './mint.ts';
export * from './refusal.ts';
export * from './verify.ts';
export { LIMITS as TOKEN_LIMITS } from './rules.ts';
