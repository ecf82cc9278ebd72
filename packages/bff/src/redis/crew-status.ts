/** Why Redis did not do what it was asked. */
export type RedisFault = 'silent' | 'gone' | 'read-only' | 'full' | 'loading' | 'refused' | 'spoilt';

/** How this instance stands with the others. */
export interface CrewStatus {
  /** `joined`: one account with the others; `lost`: out of its own share. */
  readonly state: 'joined' | 'lost';
  readonly fault: RedisFault | undefined;
  /** Instances that share the account, as far as is known; 0 before the first word. */
  readonly instances: number;
  readonly leads: boolean;
  /** Calls a window that this instance may make by itself while Redis is lost. */
  readonly share: number;
  /** How long Redis has been lost; 0 while it is not. */
  readonly lostForMs: number;
  /** How often it was lost since the start. */
  readonly losses: number;
}
