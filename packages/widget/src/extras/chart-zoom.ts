import { BAR_PX, type Placement, placementOf, type Size } from './placement.ts';

/** If the pointer moves less than this distance, the gesture is a click. */
const MAX_PRESS_PX = 4;

/** A point on the screen in CSS pixels. */
interface Point {
  readonly clientX: number;
  readonly clientY: number;
}

/**
 * Sets the chart's size in an enlarged view. At first, the chart fits the viewport. A click, a pinch, or a key shows it
 * at its natural size.
 */
export class ChartZoom {
  readonly dialog: HTMLDialogElement;
  readonly #image: HTMLImageElement;
  #inCard: Size = { width: 0, height: 0 };
  #placement: Placement | undefined;
  /** A zoomed chart's width. Undefined while the chart fits the viewport. */
  #zoomedPx: number | undefined;
  /** The point at which the mouse button was pressed, and how far the mouse has moved since then. */
  #drag: { x: number; y: number; distance: number } | undefined;
  /** The distance between two fingers when they touched the screen, and the chart's width at that time. */
  #pinch: { readonly distance: number; readonly widthPx: number } | undefined;

  constructor(dialog: HTMLDialogElement) {
    this.dialog = dialog;
    this.#image = dialog.querySelector('img') as HTMLImageElement;
    this.#image.addEventListener('load', this.#layout);
    // In a later task, because a new size can add or remove the dialog's scrollbars, and Firefox would report a loop.
    new ResizeObserver(() => setTimeout(this.#layout)).observe(dialog);
    dialog.addEventListener('click', this.#onClick);
    dialog.addEventListener('keydown', this.#onKey);
    dialog.addEventListener('wheel', this.#onWheel, { passive: false });
    for (const type of ['pointerdown', 'pointermove', 'pointerup'] as const)
      dialog.addEventListener(type, this.#onPointer);
    for (const type of ['touchstart', 'touchmove', 'touchend'] as const)
      dialog.addEventListener(type, this.#onTouch, { passive: false });
  }

  /** Shows the whole chart. */
  start(chart: Element): void {
    const { width, height } = chart.getBoundingClientRect();
    this.#inCard = { width, height };
    this.#zoomedPx = undefined;
    this.#layout();
    this.dialog.scrollTo(0, 0);
  }

  get #natural(): Size {
    const { naturalWidth, naturalHeight } = this.#image;
    // Until the image has loaded, the usual size is assumed.
    return naturalWidth ? { width: naturalWidth, height: naturalHeight } : { width: 1600, height: 900 };
  }

  readonly #layout = (): void => {
    const { clientWidth: width, clientHeight: height, classList } = this.dialog;
    if (!width || !height) return;
    const facts = { viewport: { width, height }, natural: this.#natural, inCard: this.#inCard };
    this.#placement = placementOf(facts);
    const { widthPx, isBarAside } = this.#placement;
    classList.toggle('aside', isBarAside);
    classList.toggle('centered', widthPx + 2 * BAR_PX <= width);
    this.#apply();
  };

  #apply(): void {
    if (!this.#placement) return;
    const width = this.#zoomedPx ?? this.#placement.widthPx;
    const natural = this.#natural;
    const { style } = this.#image.parentElement as HTMLElement;
    style.width = `${width}px`;
    style.height = `${(width * natural.height) / natural.width}px`;
    const isZoomed = this.#zoomedPx !== undefined;
    this.dialog.classList.toggle('zoomed', isZoomed);
    this.dialog.querySelector('.zoom')?.setAttribute('aria-pressed', String(isZoomed));
  }

  /** Changes the chart's width. The point of the chart under `at` stays in place. */
  #zoomTo(widthPx: number, at: Point = middleOf(this.dialog)): void {
    if (!this.#placement) return;
    const { widthPx: fitPx, zoomedPx } = this.#placement;
    const before = this.#image.getBoundingClientRect();
    this.#zoomedPx = widthPx > fitPx ? Math.min(widthPx, zoomedPx) : undefined;
    this.#apply();
    const after = this.#image.getBoundingClientRect();
    const scale = after.width / before.width;
    this.dialog.scrollBy({
      left: after.left + (at.clientX - before.left) * scale - at.clientX,
      top: after.top + (at.clientY - before.top) * scale - at.clientY,
      behavior: 'instant',
    });
  }

  #toggle(at?: Point): void {
    this.#zoomTo(this.#zoomedPx === undefined ? Infinity : 0, at);
  }

  readonly #onClick = (event: MouseEvent): void => {
    const target = event.target as Element;
    const isDragged = (this.#drag?.distance ?? 0) > MAX_PRESS_PX;
    this.#drag = undefined;
    if (isDragged) return;
    if (target === this.#image) return this.#toggle(event);
    if (target.closest('.zoom')) return this.#toggle();
    if (!target.closest('.words > *')) this.dialog.close();
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey } = event;
    if (ctrlKey || metaKey) return;
    if (key === '+' || key === '=') return this.#zoomTo(Infinity);
    if (key === '-') return this.#zoomTo(0);
    const [left, top] = ARROWS[key] ?? [];
    if (left === undefined || top === undefined) return;
    event.preventDefault();
    this.dialog.scrollBy({ left, top, behavior: 'instant' });
  };

  /** Handles a pinch on a touchpad, which is a wheel event. All other wheel events scroll. */
  readonly #onWheel = (event: WheelEvent): void => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.#zoomTo(this.#image.offsetWidth * Math.exp(-event.deltaY / 200), event);
  };

  /** Lets the mouse drag the chart. Touch scrolling doesn't need a script. */
  readonly #onPointer = ({ type, pointerType, buttons, target, clientX: x, clientY: y }: PointerEvent): void => {
    if (pointerType !== 'mouse') return;
    if (type === 'pointerdown' && buttons === 1 && target === this.#image) this.#drag = { x, y, distance: 0 };
    const drag = this.#drag;
    if (type !== 'pointermove' || !drag) return;
    if (!buttons) return void (this.#drag = undefined);
    drag.distance += Math.abs(x - drag.x) + Math.abs(y - drag.y);
    this.dialog.scrollBy({ left: drag.x - x, top: drag.y - y, behavior: 'instant' });
    Object.assign(drag, { x, y });
  };

  readonly #onTouch = (event: TouchEvent): void => {
    const [one, two] = event.touches;
    if (!one || !two) return void (this.#pinch = undefined);
    event.preventDefault();
    const distance = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
    this.#pinch ??= { distance, widthPx: this.#image.offsetWidth };
    const middle = { clientX: (one.clientX + two.clientX) / 2, clientY: (one.clientY + two.clientY) / 2 };
    this.#zoomTo((this.#pinch.widthPx * distance) / this.#pinch.distance, middle);
  };
}

/** How far the arrow keys scroll, in CSS pixels. */
const ARROWS: Readonly<Record<string, readonly [left: number, top: number]>> = {
  ArrowLeft: [-80, 0],
  ArrowRight: [80, 0],
  ArrowUp: [0, -80],
  ArrowDown: [0, 80],
};

function middleOf(element: Element): Point {
  return { clientX: element.clientWidth / 2, clientY: element.clientHeight / 2 };
}
