import type { Plugin } from 'vite';

/** Takes the indentation out of `html` templates and style sheets; white space between words stays, as one space. */
export function squeezeTemplates(): Plugin {
  return {
    name: 'squeeze-templates',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/src\/.*\.ts$/.test(id)) return null;
      return code.replace(/(\/\* css \*\/ |\bhtml)`((?:[^`\\]|\\.)*)`/gs, (_, tag: string, text: string) =>
        tag === 'html' ? `html\`${squeezeHtml(text)}\`` : `\`${squeezeCss(text)}\``,
      );
    },
  };
}

function squeezeCss(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .replace(/\b0\.(\d)/g, '.$1')
    .replace(/='([\w-]+)'/g, '=$1')
    .trim();
}

function squeezeHtml(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/ ?(\/?>) /g, '>')
    .replace(/ (<|>)/g, '$1')
    .replace(/ \/>/g, '>')
    .trim();
}
