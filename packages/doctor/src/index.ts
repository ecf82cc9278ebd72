export { diagnose, type Diagnosis } from './diagnose.ts';
export { checkPage, type PageCheckResult } from './check-page.ts';
export { type FetchGuards, fetchPage } from './fetch-page.ts';
export { diagnoseInThread } from './diagnose-in-thread.ts';
export type { DoctorSettings, FetchedPage, PageFault, PageResult } from './facts.ts';
export type { Finding } from './finding.ts';
export type { TokenReport } from './rules/token.ts';
