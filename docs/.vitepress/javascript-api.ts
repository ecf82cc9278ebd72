import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Application, Converter, ReflectionKind } from 'typedoc';

const REFERENCE = join(import.meta.dirname, '../reference');

/** The elements page describes these classes. */
const ELEMENTS = ['PulseCard', 'PulseBoard'];

/**
 * Returns the exports of the modules that `docs/reference/javascript.md` lists as Markdown, as TypeDoc writes them.
 * TypeDoc writes its own files into `folder`.
 */
export async function javascriptApi(folder: string): Promise<string> {
  const modules = modulesOn(readFileSync(join(REFERENCE, 'javascript.md'), 'utf8'));
  rmSync(folder, { recursive: true, force: true });
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    outputs: [{ name: 'markdown', path: folder }],
    tsconfig: join(import.meta.dirname, 'tsconfig.json'),
    entryPoints: modules.map(({ source }) => join(REFERENCE, source)),
    alwaysCreateEntryPointModule: true,
    logLevel: 'Error',
    // `npm run check` has already checked the types, with a newer compiler.
    skipErrorChecking: true,
    router: 'module',
    readme: 'none',
    disableGit: true,
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeProtected: true,
    ...FORMAT,
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project: read }) => {
    for (const one of read.getReflectionsByKind(ReflectionKind.Class))
      if (ELEMENTS.includes(one.name)) read.removeReflection(one);
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc can’t read the packages');
  await app.generateOutputs(project);
  const pages = modules.map(({ name, source }) => {
    const page = `${source.replace('../../packages/', '').replace(/(\/index)?\.ts$/, '')}.md`;
    return sectionOf(name, readFileSync(join(folder, page), 'utf8'));
  });
  return pages.join('\n\n');
}

/** The rows of the page's table: each module's name, and the path from the page to its source. */
function modulesOn(page: string): { name: string; source: string }[] {
  const rows = page.matchAll(/^\| \[`(@pulse-card\/.+?)`\]\((.+?)\)/gm);
  return Array.from(rows, ([, name = '', source = '']) => ({ name, source }));
}

/**
 * The page of a module as a section of one page: one level lower, with links that stay on the page. The anchors of
 * table rows are left out, because other modules have the same ones.
 */
function sectionOf(name: string, page: string): string {
  const rows = page.replaceAll(/^\| <a id="[\w-]+"><\/a> /gm, '| ');
  const text = rows.replace(/^# .*\n/, '').replaceAll(/^(?=#)/gm, '#');
  return `## ${name}\n\n${text.replaceAll(/\]\([\w./-]+\.md#/g, '](#').trim()}`;
}

/** Settings for the Markdown theme. */
const FORMAT = {
  hideBreadcrumbs: true,
  hidePageHeader: true,
  hideGroupHeadings: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true, hideSources: true },
} as const;
