import project from '../../../project.json' with { type: 'json' };
import { STUDIO_URL } from './studio-url.ts';

const { repository, site } = project as Readonly<Record<'repository' | 'site', string | null>>;

/** The repository's files. Until the repository has a URL, the demo serves the clone's. */
const FILES = repository === null ? new URL('../docs/README.md', STUDIO_URL).href : `${repository}/tree/main/docs`;

/** The URL of the documentation: the website if there is one, otherwise the files. */
export const DOCS_URL: string = site ?? FILES;
