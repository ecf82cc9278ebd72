export * from './keys.ts';
export * from './mint.ts';
export * from './refusal.ts';
export * from './verify.ts';
export { MAX_LIFE_SECONDS } from './rules.ts';
