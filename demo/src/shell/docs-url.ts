import project from '../../../project.json' with { type: 'json' };
import { fetchConfig } from './bff-api.ts';
import { STUDIO_URL } from './studio-url.ts';

const { repository, site } = project as Readonly<Record<'repository' | 'site', string | null>>;
const PUBLISHED = site ?? (repository && `${repository}/tree/main/docs`);

/**
 * The URL of the documentation: the website if there is one, otherwise the repository's files. Until the project has a
 * URL, only the demo of `npm start` serves the files. Elsewhere, this is undefined.
 */
export async function findDocs(): Promise<string | undefined> {
  if (PUBLISHED !== null) return PUBLISHED;
  const { startCommand } = await fetchConfig();
  return startCommand && new URL('../docs/README.md', STUDIO_URL).href;
}
