/** Reads a body up to `limitBytes`. Returns these bytes, and whether there were more. Further bytes are not read. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<{ bytes: Buffer; isTruncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > limitBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limitBytes), isTruncated: length > limitBytes };
}
