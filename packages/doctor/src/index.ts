export { diagnose, type Diagnosis, sourcesOn } from './diagnose.ts';
export type { DoctorSettings, FetchedPage, PageFault, PageResult, PageSources } from './facts.ts';
export type { Finding, FindingCode, Severity } from './finding.ts';
export type { TokenReport } from './rules/token.ts';
