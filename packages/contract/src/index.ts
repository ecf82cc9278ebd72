export * from './api-key.ts';
export * from './bff-responses.ts';
export * from './error.ts';
export * from './pulse.ts';
export * from './rate-limit.ts';
export * from './read-responses.ts';
export * from './routes.ts';
export * from './service-responses.ts';
export * from './source-id.ts';
export * from './source.ts';
export { cleanLine, cleanText, cutText, TEXT_LIMITS } from './text.ts';
export {
  canPolicyName,
  isExactOrigin,
  isLoopbackHost,
  isOrigin,
  isPlainHost,
  matchesOrigin,
  readUrl,
  safeUrl,
} from './url.ts';
