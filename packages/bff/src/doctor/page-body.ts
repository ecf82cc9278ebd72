import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import sniffEncoding from 'html-encoding-sniffer';

/** How much of a page is read, before and after decompression. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** A page whose compression cannot be undone. */
export class UnreadableBodyError extends Error {
  constructor() {
    super('Cannot read the page: its content encoding is unknown or broken');
    this.name = 'UnreadableBodyError';
  }
}

/** Reads the body of `answer`, decompressed, up to its limit. Rejects with `UnreadableBodyError` where it is not what it says. */
export async function readBody(answer: IncomingMessage): Promise<{ bytes: Buffer; isTruncated: boolean }> {
  const chunks: Buffer[] = [];
  let [length, received] = [0, 0];
  let isTruncated = false;
  // A stream of empty compressed blocks decompresses to nothing, without end.
  answer.on('data', ({ length: more }: Buffer) => {
    received += more;
    if (received > MAX_PAGE_BYTES) answer.destroy();
  });
  try {
    for await (const chunk of decompressed(answer) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      isTruncated = length > MAX_PAGE_BYTES;
      if (isTruncated) break;
    }
  } catch (error) {
    if (received > MAX_PAGE_BYTES) isTruncated = true;
    else throw error;
  } finally {
    answer.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MAX_PAGE_BYTES), isTruncated };
}

const DECOMPRESSORS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function decompressed(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return answer;
  const decompressor = DECOMPRESSORS[encoding]?.();
  if (decompressor === undefined) throw new UnreadableBodyError();
  return pipeline(answer, decompressor, () => {});
}

/** Says whether an answer of this type is an HTML page; one without a type is taken for one. */
export function isHtml(contentType: string | undefined): boolean {
  return contentType === undefined || /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType);
}

/** The text of a page, in the encoding that a browser would find (BOM, header, `<meta charset>`). */
export function decodePage(bytes: Uint8Array, contentType: string | undefined): string {
  const label = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1];
  const encoding = sniffEncoding(bytes, label === undefined ? {} : { transportLayerEncodingLabel: label });
  return decoderFor(encoding).decode(bytes);
}

/** Some encodings have a name and no decoder (`replacement`, `x-user-defined`). */
function decoderFor(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder();
  }
}
