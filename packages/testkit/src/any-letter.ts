import fc from 'fast-check';

/**
 * Any code point as a string, for `fc.string({ unit: ANY_LETTER })`. fast-check's own `unit: 'binary'` needs a second
 * of CPU before its first string, in each process.
 */
export const ANY_LETTER = fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code));
