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
    // What stands behind a template within a template is not seen above.
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = file.code.replace(/\s*\n\s+(?=[<>`$])/g, '').replace(/\n\s+/g, ' ');
      }
    },
  };
}

/** A style sheet without the white space that means nothing. */
export function squeezeCss(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .replace(/\b0\.(\d)/g, '.$1')
    .replace(/='([a-zA-Z][\w-]*)'/g, '=$1')
    .replace(/--_\w+/g, shortName)
    .trim();
}

const shortNames = new Map<string, string>();

/** A letter for a property that the sheets keep to themselves (`--_side`): the first of its name that none has. */
function shortName(name: string): string {
  const taken = [...shortNames.values()];
  const letters = Array.from(name.slice(3), (letter) => `--_${letter}`);
  const short = shortNames.get(name) ?? letters.find((letter) => !taken.includes(letter)) ?? name;
  shortNames.set(name, short);
  return short;
}

function squeezeHtml(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/ ?(\/?>) /g, '>')
    .replace(/ (<|>)/g, '$1')
    .replace(/ \/>/g, '>')
    .trim();
}
