import type { CardTexts } from './action-card.ts';
import type { Look } from './look.ts';
import type { TextLines } from './text-lines.ts';

/** The dimensions of the image, in pixels. */
export const WIDTH = 1_200;
export const PAD = 64;
export const CHART_INSET = 40;
export const NAME_SIZE = 28;
export const FINDING_SIZE = 44;
export const FINDING_LINE = 57;
export const SOURCE_SIZE = 24;
/** The space between the name and the label, including the spark. */
const SPARK_SPACE = 60;
/** The space before the date. */
const DATE_SPACE = 48;

const SPARK = 'M8 1l1.7 5.3L15 8l-5.3 1.7L8 15l-1.7-5.3L1 8l5.3-1.7z';

/** How a line of text is drawn. `x` is the distance from the start of the line. */
interface TextPlace {
  readonly font: string;
  readonly color: string;
  readonly x: number;
  readonly y: number;
  /** The text's direction, if it differs from the card's. */
  readonly direction?: CanvasDirection;
  readonly isAtEnd?: boolean;
}

/** Draws a card on a canvas. Text starts on the left, or on the right in Arabic and Hebrew. */
export class Pen {
  readonly #context: CanvasRenderingContext2D;
  readonly #look: Look;

  constructor(canvas: HTMLCanvasElement, look: Look) {
    this.#context = canvas.getContext('2d') as CanvasRenderingContext2D;
    this.#look = look;
    this.#context.fillStyle = look.background;
    this.#context.fillRect(0, 0, canvas.width, canvas.height);
  }

  text(text: string, { font, color, x, y, direction = this.#look.direction, isAtEnd = false }: TextPlace): void {
    const isRight = (this.#look.direction === 'rtl') !== isAtEnd;
    Object.assign(this.#context, { font, fillStyle: color, direction, textAlign: isRight ? 'right' : 'left' });
    // Lines can be a few pixels wider here than on the page, which rounds letter widths.
    this.#context.fillText(text, isRight ? WIDTH - x : x, y, WIDTH - PAD - x);
  }

  /**
   * Draws the name, the spark, and the label at the top, and the source and the date at the bottom. Names that are too
   * long are truncated.
   */
  facts({ name, label, date, source }: CardTexts, sourceY: number): void {
    const { muted, font } = this.#look;
    const y = PAD + NAME_SIZE - 6;
    const [bold, light, small] = [`500 ${NAME_SIZE}px`, `400 ${NAME_SIZE}px`, `400 ${SOURCE_SIZE}px`].map(
      (style) => `${style} ${font}`,
    ) as [string, string, string];
    const widthPx = WIDTH - 2 * PAD;
    const shown = this.#shortened(name, bold, widthPx - (label ? this.#widthOf(label, light) + SPARK_SPACE : 0));
    this.text(shown, { font: bold, color: muted, x: PAD, y });
    if (label)
      this.#label(label, { font: light, color: muted, x: PAD + this.#widthOf(shown, bold) + (shown ? 24 : 0), y });
    const below = { font: small, color: muted, x: PAD, y: sourceY };
    this.text(date, { ...below, isAtEnd: true });
    this.text(this.#shortened(source, small, widthPx - this.#widthOf(date, small) - DATE_SPACE), below);
  }

  finding({ lines, direction }: TextLines, font: string): void {
    const { color } = this.#look;
    const top = PAD + NAME_SIZE + 20 + FINDING_SIZE;
    for (const [at, line] of lines.entries())
      this.text(line, { font, color, x: PAD, y: top + at * FINDING_LINE, direction });
  }

  /** Draws the chart on its background, whose color replaces white. */
  chart(image: CanvasImageSource & { width: number; height: number }, top: number, height: number): void {
    const context = this.#context;
    const box = { x: CHART_INSET, width: WIDTH - 2 * CHART_INSET };
    context.fillStyle = this.#look.plate;
    context.beginPath();
    context.roundRect(box.x, top, box.width, height, 16);
    context.fill();
    const width = Math.min(box.width, (height * image.width) / image.height);
    context.globalCompositeOperation = 'multiply';
    context.drawImage(image, (WIDTH - width) / 2, top, width, height);
    context.globalCompositeOperation = 'source-over';
  }

  #label(label: string, { x, y, ...place }: TextPlace): void {
    const context = this.#context;
    this.text(label, { ...place, x: x + 36, y });
    context.save();
    context.translate(this.#look.direction === 'rtl' ? WIDTH - x - 26 : x, y - 22);
    context.scale(1.6, 1.6);
    context.fillStyle = this.#look.accent;
    // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- a canvas
    context.fill(new Path2D(SPARK));
    context.restore();
  }

  #widthOf(text: string, font: string): number {
    this.#context.font = font;
    return this.#context.measureText(text).width;
  }

  #shortened(text: string, font: string, roomPx: number): string {
    if (this.#widthOf(text, font) <= roomPx) return text;
    const segments = [...new Intl.Segmenter().segment(text)];
    while (segments.length > 0 && this.#widthOf(`${joined(segments)}…`, font) > roomPx) segments.pop();
    return `${joined(segments).trim()}…`;
  }
}

function joined(segments: readonly Intl.SegmentData[]): string {
  return segments.map(({ segment }) => segment).join('');
}
