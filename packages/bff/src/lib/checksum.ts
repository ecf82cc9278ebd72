import { createHash } from 'node:crypto';

/** The length of a base64url SHA-256 prefix with 132 bits. */
const LENGTH = 22;

const AT_END = /,"checksum":"([\w-]*)"\}$/;

/** Returns the text of a JSON object with a checksum as its last property, so that a damaged copy is detected. */
export function withChecksum(json: string): string {
  return `${json.slice(0, -1)},"checksum":"${checksumOf(json)}"}`;
}

/**
 * Returns the text that was passed to `withChecksum()`. Throws if the stored copy is not exactly what `withChecksum()`
 * returned.
 */
export function checkedJson(stored: string): string {
  const [end = '', checksum] = AT_END.exec(stored) ?? [];
  const json = `${stored.slice(0, stored.length - end.length)}}`;
  if (checksum !== checksumOf(json)) throw new RangeError('Cannot read a stored entry: its checksum does not match');
  return json;
}

function checksumOf(json: string): string {
  return createHash('sha256').update(json).digest('base64url').slice(0, LENGTH);
}
