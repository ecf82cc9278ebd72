import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SECTIONS } from './pages.ts';

interface Folders {
  readonly docs: string;
  /** The built site. */
  readonly site: string;
  /** The site's URL path, with a slash at both ends. */
  readonly base: string;
}

/** A page's text, with the parts that it includes. */
function withIncludes(path: string): string {
  const page = readFileSync(path, 'utf8');
  return page.replaceAll(/<!--@include: (.+?)-->/g, (_, part: string) =>
    readFileSync(join(dirname(path), part), 'utf8'),
  );
}

/** Writes llms.txt, llms-full.txt (llmstxt.org), and each page as Markdown into the built site. */
export async function writeLlmsFiles({ docs, site, base }: Folders): Promise<void> {
  const index = [
    '# Pulse Card',
    '> Embed a chart and its AI commentary in any web page, without exposing your API key.',
  ];
  const texts: string[] = [];
  for (const { text: title, items } of SECTIONS) {
    index.push(`## ${title}`, items.map(({ text, file, about }) => `- [${text}](${base}${file}): ${about}`).join('\n'));
    for (const { file } of items) {
      const text = withIncludes(join(docs, file));
      await mkdir(dirname(join(site, file)), { recursive: true });
      await writeFile(join(site, file), text);
      texts.push(text.replaceAll(/<!--[^]*?-->\n*/g, '').trim());
    }
  }
  await writeFile(join(site, 'llms.txt'), `${index.join('\n\n')}\n`);
  await writeFile(join(site, 'llms-full.txt'), `${texts.join('\n\n')}\n`);
}
