/** Types that editors should see in full. */
const TYPES = {
  Variant: "'card' | 'compact' | 'chart' | 'text'",
  SortOrder: "'newest' | 'attention' | 'name'",
};

/** Members that the code shares within the package begin with an underscore. */
const isInternal = ({ name }) => name.startsWith('_');

/** Leaves in the manifest what pages can use: no private members, types in full, defaults as attributes have them. */
function publicSurface() {
  return {
    name: 'public-surface',
    packageLinkPhase({ customElementsManifest }) {
      for (const module of customElementsManifest.modules) {
        module.path = published(module.path);
        for (const { declaration } of module.exports ?? [])
          if (declaration.module) declaration.module = published(declaration.module);
        for (const declaration of module.declarations) {
          if (declaration.superclass?.module) declaration.superclass.module = published(declaration.superclass.module);
          declaration.members = declaration.members?.filter(
            (member) => (member.privacy ?? 'public') === 'public' && !isInternal(member),
          );
          declaration.attributes = declaration.attributes?.filter((attribute) => !isInternal(attribute));
          for (const attribute of declaration.attributes ?? []) attribute.fieldName ??= attribute.name;
          for (const entry of [...(declaration.members ?? []), ...(declaration.attributes ?? [])]) {
            simplify(entry);
            if (entry.inheritedFrom) entry.inheritedFrom.module = published(entry.inheritedFrom.module);
          }
          for (const event of declaration.events ?? [])
            if (event.inheritedFrom) event.inheritedFrom.module = published(event.inheritedFrom.module);
        }
      }
    },
  };
}

/** The module of the package that a source becomes. */
function published(path) {
  return path.replace(/^\/?src\/(.*)\.ts$/, 'dist/npm/$1.js');
}

function simplify(entry) {
  if (entry.type?.text in TYPES) entry.type.text = TYPES[entry.type.text];
  const value = entry.default?.replace(/^'(.*)'$/, '$1');
  if (value) entry.default = value;
  else delete entry.default;
}

/** The files that the analyzer reads: the elements, and what they share. */
export default {
  globs: ['src/elements/pulse-card/element.ts', 'src/elements/pulse-board/element.ts', 'src/elements/pulse-element.ts'],
  outdir: '.',
  litelement: true,
  packagejson: false,
  plugins: [publicSurface()],
};
