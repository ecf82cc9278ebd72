/** Reads a body as UTF-8 text; undefined once it is longer than `limitBytes`, counted after decompression. */
export async function textWithin(
  body: ReadableStream<Uint8Array> | null,
  limitBytes: number,
): Promise<string | undefined> {
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
}
