/** The paths that the service and the BFF share (spec, "Endpoints"). */
export const ROUTES = {
  sources: '/v1/sources',
  pulse: '/v1/sources/:sourceId/pulse',
  openapi: '/v1/openapi.yaml',
} as const;

/** The path to a source's latest pulse; `sourceId` must have passed `isSourceId`. */
export function pulsePath(sourceId: string): string {
  return `/v1/sources/${encodeURIComponent(sourceId)}/pulse`;
}
