/** The actions of a card's buttons. */
export type ButtonAction = 'copy' | 'save' | 'share';

/** The actions in `actions` that are known and that the browser supports. Pages without types can set any value. */
export function actionsIn(actions: unknown): ButtonAction[] {
  const words = String(actions).split(/\s+/);
  const { clipboard } = navigator as Partial<Navigator>;
  const canShare = () => navigator.canShare?.({ files: [new File([], 'chart.png', { type: 'image/png' })] });
  return (['copy', 'save', 'share'] as const).filter(
    (action) => words.includes(action) && (action !== 'copy' || clipboard) && (action !== 'share' || canShare()),
  );
}
