/** A pulse's text fields, filled with text that is hard to lay out. */
export interface AwkwardText {
  readonly id: string;
  readonly title: string;
  readonly name: string;
  readonly short: string;
  readonly long: string;
}

const LONG_SENTENCE =
  'Second-quarter revenue rose by 18% from the first quarter and by 41% from a year earlier, while returns, discounts and delivery costs together took a smaller share of it than in any quarter since the shop opened its doors.';

/**
 * Difficult text that a service might send: long text, text without spaces, right-to-left text, and markup that must
 * not be rendered.
 */
export const AWKWARD_TEXTS: readonly AwkwardText[] = [
  {
    id: 'long',
    title: 'Very long text',
    name: 'Quarterly revenue of all shops in all countries, after returns and before taxes, in thousands of euros',
    short: `${LONG_SENTENCE} ${LONG_SENTENCE}`,
    long: `${LONG_SENTENCE}\n\n${LONG_SENTENCE}\n\n${LONG_SENTENCE}`,
  },
  {
    id: 'unbroken',
    title: 'Words without a break',
    name: 'revenue_by_region_and_quarter_after_returns_2026_final_v2',
    short: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft grew by 12%.',
    long: 'https://example.com/reports/2026/05/08/revenue-by-region-and-quarter-after-returns-and-before-taxes?format=pdf&lang=en',
  },
  {
    id: 'arabic',
    title: 'Arabic',
    name: 'الإيرادات الفصلية',
    short: 'ارتفعت الإيرادات بنسبة 18% في الربع الثاني لتبلغ 4.2 مليون.',
    long: 'جاء معظم النمو من **المتجر الإلكتروني**، بينما بقيت مبيعات الفروع كما هي.',
  },
  {
    id: 'hebrew',
    title: 'Hebrew',
    name: 'הכנסות רבעוניות',
    short: 'ההכנסות עלו ב-18% ברבעון השני והגיעו ל-4.2 מיליון.',
    long: 'רוב הצמיחה הגיעה מ**החנות המקוונת**, ואילו המכירות בסניפים לא השתנו.',
  },
  {
    id: 'markup',
    title: 'Markup that must stay text',
    name: 'Q2 <b>revenue</b> & costs',
    short: 'Growth <script>alert(1)</script> of "18%" & more.',
    long: '<img src=x onerror=alert(1)> stays text.\n\n- **Bold** and `code` are Markdown\n- [A link](javascript:alert(1)) is not',
  },
  {
    id: 'emoji',
    title: 'Emoji and blank lines',
    name: '🚀 Launch',
    short: '👩‍👩‍👧‍👦 signed up 3 times as often as 🐈.',
    long: '\n\n   \n\nFamilies first.\n\n\n\nThen cats.\n\n',
  },
];
