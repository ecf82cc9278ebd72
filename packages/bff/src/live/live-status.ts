/** How the live streams stand. */
export interface LiveStatus {
  readonly readers: number;
  /** Events sent since the start, one for each reader told. */
  readonly events: number;
  /** Streams cut because their reader did not read. */
  readonly cut: number;
  /** Streams refused, by what there was no place for. */
  readonly refused: Readonly<Record<'client' | 'total' | 'stopping', number>>;
}
