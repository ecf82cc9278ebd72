/** Changes to the same setting within this time count as one step, for example while a slider moves. */
const TOGETHER_MS = 600;

/** The maximum number of steps that can be undone. */
const MAX_STEPS = 100;

/** The undo and redo history of a value. */
export class Changes<Value> {
  readonly #past: Value[] = [];
  readonly #future: Value[] = [];
  #last = { what: '', atMs: -Infinity };

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /**
   * Records that `before` was replaced. `what` names the changed setting. Rapid changes with the same name count as one
   * step. Changes with an empty name are never merged.
   */
  record(before: Value, what: string, atMs: number): void {
    if (what === '' || what !== this.#last.what || atMs - this.#last.atMs > TOGETHER_MS) this.#past.push(before);
    if (this.#past.length > MAX_STEPS) this.#past.shift();
    this.#future.length = 0;
    this.#last = { what, atMs };
  }

  /** The value before `current`, or undefined if there is none. */
  undo(current: Value): Value | undefined {
    return this.#step(this.#past, this.#future, current);
  }

  /** The value after `current`, or undefined if there is none. */
  redo(current: Value): Value | undefined {
    return this.#step(this.#future, this.#past, current);
  }

  #step(from: Value[], to: Value[], current: Value): Value | undefined {
    const value = from.pop();
    if (value !== undefined) to.push(current);
    this.#last = { what: '', atMs: -Infinity };
    return value;
  }
}

/** The action that an event's keys trigger. Undefined if it's neither undo nor redo, or if the browser handles it. */
export function undoKeyOf(event: KeyboardEvent): 'undo' | 'redo' | undefined {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || isTextField(event.target)) return undefined;
  const key = event.key.toLowerCase();
  if (key === 'z') return event.shiftKey ? 'redo' : 'undo';
  return key === 'y' && !event.shiftKey ? 'redo' : undefined;
}

/** Whether the browser itself undoes text changes in this field. */
function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLInputElement)) return target instanceof HTMLTextAreaElement;
  return !['checkbox', 'radio', 'range', 'color', 'button'].includes(target.type);
}
