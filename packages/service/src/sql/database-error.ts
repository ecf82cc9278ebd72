const CODE_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'part of the path is not a folder',
  ENOENT: 'no such path',
  ENOSPC: 'no space left',
  SQLITE_FULL: 'no space left',
  SQLITE_CANTOPEN: 'the database file can’t be opened',
  SQLITE_NOTADB: 'the file in it is not a database',
  SQLITE_READONLY: 'the database file is read-only',
  SQLITE_BUSY: 'another process keeps it locked',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ETIMEDOUT: 'no response in time',
  EHOSTUNREACH: 'host unreachable',
  '28P01': 'username or password rejected',
  '28000': 'user rejected',
  '3D000': 'no such database',
  '42501': 'permission denied',
  '53300': 'too many connections',
  '57P03': 'it is starting up or stopping',
};

/** Descriptions of errors that have no code. */
const MESSAGE_WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/timeout/i, 'no response in time'],
  [/password must be/, 'it asks for a password'],
  [/^corrupted migrations/, 'its tables belong to another version'],
];

/** Describes a database error in a few words, or an unknown error by the first line of its message. */
export function databaseErrorReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return databaseErrorReason(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return CODE_WORDS[codeOf(error)] ?? wordsFor(error.message);
}

/** SQLite's extended codes are shortened to the primary code. */
function codeOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  return code.replace(/^(SQLITE_[A-Z]+)_.*/, '$1');
}

function wordsFor(message: string): string {
  const known = MESSAGE_WORDS.find(([pattern]) => pattern.test(message));
  return known?.[1] ?? message.split('\n', 1)[0] ?? '';
}
