/**
 * Says whether `text` is base64url in its one canonical spelling (RFC 4648, 3.5): decoders forgive blanks, paddings and spare
 * bits at the end, so that one token would have many texts.
 */
export function isBase64url(text: string): boolean {
  return /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;
}
