import type { ServerResponse } from 'node:http';
import { writeMergedHead } from '../../http/merged-head.ts';
import type { Access } from '../../http/request-context.ts';

/**
 * Writes the head of a mounted router's response, based on the access of its route. Data, including charts, differs by
 * cookie and is only for pages of the same origin.
 */
export function writePrivateHead(response: ServerResponse, status: number, headers: string[], access: Access): void {
  // A proxy may be configured to store errors, too. A page on another port of the host sends the same cookies.
  if (access !== 'file' && access !== 'probe')
    headers.push('Vary', 'Cookie', 'Cross-Origin-Resource-Policy', 'same-origin');
  writeMergedHead(response, status, headers);
}
