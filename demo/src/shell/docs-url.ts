import project from '../../../project.json' with { type: 'json' };

const { repository, site } = project as Readonly<Record<'repository' | 'site', string | null>>;

/** The package, which contains its documentation. */
const PACKAGE = `https://www.npmjs.com/package/${project.scope}/widget`;

/** The URL of the documentation: the website if there is one, otherwise the files in the repository or the package. */
export const DOCS_URL: string = site ?? (repository === null ? PACKAGE : `${repository}/tree/main/docs`);
