import { join } from 'node:path';
import ts from 'typescript-5';
import { BOARD_ENGLISH, ENGLISH, EXTRAS_ENGLISH, SERVER_ENGLISH } from '../../packages/widget/src/i18n/messages.ts';
import { ROOT } from '../run.ts';
import { code, markdownTable } from './markdown-table.ts';

/** A module that applications import, in the order of the page. */
interface Entry {
  readonly name: string;
  /** The path from the root of the repository. */
  readonly source: string;
  /** The purpose of the module. */
  readonly about: string;
  /** Exports that are listed first. The others follow, sorted by name. */
  readonly first?: readonly string[];
}

/** Classes that the elements page describes. */
const ELEMENTS: Readonly<Record<string, string>> = { PulseCard: 'pulse-card', PulseBoard: 'pulse-board' };

const ENTRIES: readonly Entry[] = [
  {
    name: '@pulse-card/bff',
    source: 'packages/bff/src/index.ts',
    about:
      'Mounts the BFF and the Studio in a Node application. See [Express](../private/mount.md) and [The Studio](../studio.md#in-your-application).',
    first: ['createPulseBff', 'PulseBffOptions', 'PulseAuthorization', 'PulseBff', 'createPulseStudio'],
  },
  {
    name: '@pulse-card/bff/testing',
    source: 'packages/bff/src/testing/test-upstream.ts',
    about:
      'A fake service for the tests of an application that mounts the BFF. See [Test your portal](../test-your-portal.md).',
  },
  {
    name: '@pulse-card/token',
    source: 'packages/token/src/index.ts',
    about: 'Mints and verifies tokens. See [Tokens](../private/tokens.md).',
    first: ['mintToken', 'TokenKey', 'TokenUse'],
  },
  {
    name: '@pulse-card/widget',
    source: 'packages/widget/src/index.ts',
    about:
      'Defines the elements on import. `@pulse-card/widget/elements` has the same exports, but doesn’t define the elements. [Elements](elements.md) lists attributes, properties, and events.',
    first: ['setBaseUrl', 'forgetTokens', 'registerTranslation', 'Messages', 'Pulse'],
  },
  {
    name: '@pulse-card/widget/react',
    source: 'packages/widget/src/react/index.ts',
    about: 'Components for React 19. See [React, Vue, Svelte](../cards/frameworks.md).',
    first: ['PulseProvider', 'PulseProviderProps', 'PulseCard', 'PulseBoard'],
  },
  {
    name: '@pulse-card/widget/snippet',
    source: 'packages/widget/src/snippet/index.ts',
    about: 'Writes the HTML that embeds a card, a board, or a frame.',
    first: ['snippetFor', 'SnippetOptions', 'boardSnippetFor', 'BoardSnippetOptions'],
  },
  {
    name: '@pulse-card/widget/server',
    source: 'packages/widget/src/ssr/index.ts',
    about: 'Renders a card to HTML on a Node server. See [Server rendering](../cards/server-rendering.md).',
    first: ['renderPulseCard', 'RenderOptions', 'PulseAnswer', 'PulseRefusal'],
  },
  {
    name: '@pulse-card/widget/testing',
    source: 'packages/widget/src/fake-bff/index.ts',
    about: 'A fake BFF for tests in a browser or a DOM. See [Test your portal](../test-your-portal.md).',
    first: ['FakeBff', 'FakeBffOptions', 'FakeData', 'fakeToken', 'settled'],
  },
  {
    name: '@pulse-card/mcp',
    source: 'packages/mcp/src/index.ts',
    about: 'An MCP server as an HTTP handler. See [Show pulses in a chat](../chat.md).',
  },
  {
    name: '@pulse-card/doctor',
    source: 'packages/doctor/src/index.ts',
    about: 'Checks a page. `pulse-doctor` and the Studio use it.',
    first: ['diagnose', 'Diagnosis', 'Finding'],
  },
];

/** Returns the JavaScript API page, generated from the exported types and their comments. */
export function apiPage(): string {
  return exportedTypes().text();
}

/** Returns the path, type, and meaning of each field of `/status`. */
export function statusFields(): string[][] {
  return exportedTypes().fieldsOf('packages/bff/src/index.ts', 'StatusDocument');
}

let read: ExportedTypes | undefined;

/** Reading all packages takes seconds, so it happens only once. */
function exportedTypes(): ExportedTypes {
  return (read ??= new ExportedTypes());
}

/** How many levels of nested objects are listed field by field. */
const MAX_DEPTH = 3;

class ExportedTypes {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  /** The names that already have a section. */
  readonly #documented = new Set<ts.Symbol>();

  constructor() {
    this.#program = ts.createProgram(
      ENTRIES.map(({ source }) => join(ROOT, source)),
      {
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        customConditions: ['source'],
        lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
        jsx: ts.JsxEmit.ReactJSX,
        strict: true,
        exactOptionalPropertyTypes: true,
        allowImportingTsExtensions: true,
        noEmit: true,
        skipLibCheck: true,
      },
    );
    this.#checker = this.#program.getTypeChecker();
  }

  text(): string {
    return [
      '# JavaScript API',
      'All exports of the npm packages, with their types. The packages are ES modules. The packages that run on a server need Node 22.19 or newer. A [separate page](elements.md) describes the elements.',
      ...ENTRIES.map((entry) => this.#moduleSection(entry)),
    ].join('\n\n');
  }

  fieldsOf(source: string, name: string): string[][] {
    const symbol = this.#exportsOf(source).find((exported) => exported.name === name);
    if (!symbol) throw new Error(`Cannot list fields: ${source} doesn't export ${name}`);
    return this.#fields(this.#checker.getDeclaredTypeOfSymbol(this.#resolved(symbol)), '');
  }

  #fields(type: ts.Type, path: string, depth = 1): string[][] {
    return this.#checker.getPropertiesOfType(type).flatMap((member) => {
      const of = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(member));
      const item = this.#checker.isArrayType(of)
        ? this.#checker.getTypeArguments(of as ts.TypeReference)[0]
        : undefined;
      const own = `${path}${member.name}${item ? '[]' : ''}`;
      const below =
        this.#isObject(item ?? of) && depth < MAX_DEPTH ? this.#fields(item ?? of, `${own}.`, depth + 1) : [];
      const text =
        below.length > 0
          ? item
            ? 'list'
            : 'object'
          : this.#typeText(this.#checker.getTypeOfSymbol(member), ts.TypeFormatFlags.InTypeAlias);
      return [[code(own), code(text), this.#comment(member)], ...below];
    });
  }

  #isObject(type: ts.Type): boolean {
    if (type.isUnion()) return type.types.every((part) => this.#isObject(part));
    return (
      (type.flags & ts.TypeFlags.Object) !== 0 &&
      this.#checker.getIndexInfosOfType(type).length === 0 &&
      this.#checker.getPropertiesOfType(type).every((member) => this.#isOurs(member))
    );
  }

  #exportsOf(source: string): ts.Symbol[] {
    const file = this.#program.getSourceFile(join(ROOT, source));
    const module = file && this.#checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`Cannot read ${source}: it has no exports`);
    return this.#checker.getExportsOfModule(module);
  }

  #resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #moduleSection({ name, source, about, first = [] }: Entry): string {
    const rank = (symbol: ts.Symbol) => (first.includes(symbol.name) ? first.indexOf(symbol.name) : first.length);
    const symbols = this.#exportsOf(source).toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
    const missing = first.filter((wanted) => !symbols.some((symbol) => symbol.name === wanted));
    if (missing.length > 0) throw new Error(`Cannot write the API page: ${name} doesn't export ${missing.join(', ')}`);
    return [`## ${name}`, about, ...symbols.map((symbol) => this.#exportSection(symbol))].join('\n\n');
  }

  #exportSection(exported: ts.Symbol): string {
    const symbol = this.#resolved(exported);
    const heading = `### ${exported.name}`;
    if (this.#documented.has(symbol)) return `${heading}\n\nThe same as above.`;
    this.#documented.add(symbol);
    return [heading, this.#comment(symbol), this.#declaration(symbol, exported.name), this.#members(symbol)]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  /** The signature of a function, or the type of a constant or an alias. Interfaces and classes show their members instead. */
  #declaration(symbol: ts.Symbol, name: string): string {
    const [declaration] = symbol.declarations ?? [];
    if (!declaration) return '';
    if (ts.isFunctionDeclaration(declaration)) {
      const signatures = this.#checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures();
      return fenced(signatures.map((signature) => `function ${name}${this.#signature(signature)}`).join('\n'));
    }
    if (ts.isTypeAliasDeclaration(declaration) && !ts.isTypeLiteralNode(declaration.type))
      return fenced(`type ${name} = ${withoutComments(declaration.type.getText()).replace(/^\| /, '')}`);
    if (ts.isVariableDeclaration(declaration))
      return fenced(`const ${name}: ${this.#typeText(this.#checker.getTypeOfSymbolAtLocation(symbol, declaration))}`);
    return '';
  }

  #members(symbol: ts.Symbol): string {
    const [declaration] = symbol.declarations ?? [];
    if (!declaration) return '';
    const isShape =
      ts.isInterfaceDeclaration(declaration) ||
      ts.isClassDeclaration(declaration) ||
      (ts.isTypeAliasDeclaration(declaration) && ts.isTypeLiteralNode(declaration.type));
    if (!isShape) return '';
    const tag = ELEMENTS[symbol.name];
    if (ts.isClassDeclaration(declaration) && tag !== undefined)
      return `The class of [\`<${tag}>\`](elements.md#${tag}), which lists its properties, methods, and events.`;
    if (symbol.name === 'Messages') return messagesTable();
    const rows = (this.#checker.getDeclaredTypeOfSymbol(symbol).getProperties() ?? [])
      .filter((member) => this.#isOurs(member))
      .map((member) => [code(this.#memberName(member)), code(this.#memberType(member)), this.#comment(member)]);
    return rows.length === 0 ? '' : markdownTable(['member', 'type', ''], rows).trimEnd();
  }

  /** Whether this repository declares the member, and the member isn't private. */
  #isOurs(member: ts.Symbol): boolean {
    const [declaration] = member.declarations ?? [];
    if (!declaration || declaration.getSourceFile().fileName.includes('node_modules')) return false;
    const flags = ts.getCombinedModifierFlags(declaration);
    const isHidden = (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0;
    return !isHidden && !/^[_#]/.test(member.name) && !member.getJsDocTags().some(({ name }) => name === 'internal');
  }

  #memberName(member: ts.Symbol): string {
    return member.flags & ts.SymbolFlags.Optional ? `${member.name}?` : member.name;
  }

  #memberType(member: ts.Symbol): string {
    const [declaration] = member.declarations ?? [];
    if (!declaration) return '';
    const type = this.#checker.getTypeOfSymbolAtLocation(member, declaration);
    const [signature, ...others] = type.getCallSignatures();
    const isMethod = ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration);
    if (isMethod && signature && others.length === 0) return this.#signature(signature);
    const written = (declaration as { readonly type?: ts.TypeNode }).type;
    return written ? withoutComments(written.getText()) : this.#typeText(type);
  }

  #signature(signature: ts.Signature): string {
    const declaration = signature.getDeclaration() as ts.SignatureDeclaration | undefined;
    const parameters = declaration?.parameters.map((parameter) => oneLine(parameter.getText())) ?? [];
    return `(${parameters.join(', ')}): ${declaration?.type ? oneLine(declaration.type.getText()) : this.#typeText(signature.getReturnType())}`;
  }

  #typeText(type: ts.Type, more: ts.TypeFormatFlags = ts.TypeFormatFlags.None): string {
    return this.#checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation | more);
  }

  #comment(symbol: ts.Symbol): string {
    const text = oneLine(ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)));
    const fallback = symbol.getJsDocTags(this.#checker).find(({ name }) => name === 'default');
    const words = oneLine(ts.displayPartsToString(fallback?.text));
    return [text, words === '' ? '' : `Default: ${words}.`].filter((part) => part !== '').join(' ');
  }
}

function fenced(text: string): string {
  return `\`\`\`typescript\n${text}\n\`\`\``;
}

function withoutComments(text: string): string {
  return oneLine(text.replaceAll(/\/\*\*[^]*?\*\//g, ''));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The keys of `registerTranslation()` with the English messages. */
function messagesTable(): string {
  const messages = { ...ENGLISH, ...EXTRAS_ENGLISH, ...BOARD_ENGLISH, ...SERVER_ENGLISH };
  const rows = Object.entries(messages).map(([key, text]) => [code(key), text]);
  return markdownTable(['key', 'English'], rows).trimEnd();
}
