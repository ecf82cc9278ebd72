import { createHash } from 'node:crypto';

/** Characters of a base64url SHA-256: 132 bits. */
const LENGTH = 22;

const AT_END = /,"checksum":"([\w-]*)"\}$/;

/** The text of a JSON object with a checksum as its last property, so that a damaged copy is noticed. */
export function withChecksum(json: string): string {
  return `${json.slice(0, -1)},"checksum":"${checksumOf(json)}"}`;
}

/** The text that `withChecksum()` was given. Throws if the stored copy is not exactly what it returned. */
export function checkedJson(stored: string): string {
  const [end = '', checksum] = AT_END.exec(stored) ?? [];
  const json = `${stored.slice(0, stored.length - end.length)}}`;
  if (checksum !== checksumOf(json)) throw new RangeError('Cannot read a stored entry: its checksum does not match');
  return json;
}

function checksumOf(json: string): string {
  return createHash('sha256').update(json).digest('base64url').slice(0, LENGTH);
}
