/** A segment of a path, decoded once; undefined where its percent-encoding is broken. */
export function decodedSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
