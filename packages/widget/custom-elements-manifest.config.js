/** Types that are written out in full for editors. */
const TYPES = {
  Variant: "'card' | 'compact' | 'chart' | 'text'",
  SortOrder: "'newest' | 'attention' | 'name'",
};

/** Whether only the package's own code uses a member: its name begins with an underscore. */
const isInternal = ({ name }) => name.startsWith('_');

/** The package's modules that export the classes, and those that define the elements. */
const CLASSES = 'dist/npm/elements/index.js';
const DEFINITIONS = 'dist/npm/index.js';

/** Drops members that pages can't use and writes types in full and defaults as attribute values. */
function publicSurface() {
  return {
    name: 'public-surface',
    packageLinkPhase({ customElementsManifest }) {
      const declarations = customElementsManifest.modules.flatMap((module) => module.declarations);
      for (const declaration of declarations) keepPublic(declaration);
      const [card, board] = ['pulse-card', 'pulse-board'].map((tag) =>
        declarations.find(({ tagName }) => tagName === tag),
      );
      addParts(board, card.cssParts);
      const exported = [card, board].map(({ name }) => reference('js', name, name));
      const defined = [card, board].map(({ tagName, name }) => reference('custom-element-definition', tagName, name));
      customElementsManifest.modules = [
        { kind: 'javascript-module', path: CLASSES, declarations, exports: exported },
        { kind: 'javascript-module', path: DEFINITIONS, declarations: [], exports: [...exported, ...defined] },
      ];
    },
  };
}

function keepPublic(declaration) {
  const { superclass, members = [], attributes = [], events = [] } = declaration;
  if (superclass?.module) superclass.module = CLASSES;
  declaration.members = members.filter((member) => (member.privacy ?? 'public') === 'public' && !isInternal(member));
  declaration.attributes = attributes.filter((attribute) => !isInternal(attribute));
  for (const attribute of declaration.attributes) attribute.fieldName ??= attribute.name;
  for (const entry of [...declaration.members, ...declaration.attributes]) simplify(entry);
  for (const { inheritedFrom } of [...declaration.members, ...declaration.attributes, ...events])
    if (inheritedFrom) inheritedFrom.module = CLASSES;
}

/** Adds the card parts that a board exports. */
function addParts(board, parts) {
  const own = new Set(board.cssParts.map(({ name }) => name));
  board.cssParts.push(...parts.filter(({ name }) => !own.has(name)));
}

function reference(kind, name, className) {
  return { kind, name, declaration: { name: className, module: CLASSES } };
}

function simplify(entry) {
  if (entry.type?.text in TYPES) entry.type.text = TYPES[entry.type.text];
  const value = entry.default?.replace(/^'(.*)'$/, '$1');
  if (value) entry.default = value;
  else delete entry.default;
}

/** The files that the analyzer reads: the elements, and the modules that they share. */
export default {
  globs: ['src/elements/pulse-{card,board}/element.ts', 'src/elements/{pulse-element,shared-properties}.ts'],
  outdir: '.',
  litelement: true,
  packagejson: false,
  plugins: [publicSurface()],
};
