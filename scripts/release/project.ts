import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';

/** The project's URL, registry names, and release state, from `project.json`. */
export interface Project {
  /** The URL of the repository, such as `https://github.com/acme/pulse-card`. Null until the project has one. */
  readonly repository: string | null;
  /** The URL of the documentation site. Null until the project has one. */
  readonly site: string | null;
  /** The scope of the npm packages. */
  readonly scope: string;
  /** Whether 0.1.0 is published. */
  readonly isReleased: boolean;
}

/** Reads `project.json`. */
export function readProject(): Project {
  return JSON.parse(readFileSync(join(ROOT, 'project.json'), 'utf8')) as Project;
}

/**
 * The fields of a package manifest that contain the project's URL. The fields are missing until the project has a URL.
 */
export interface AddressFields {
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
  readonly repository?: { readonly type: 'git'; readonly url: string; readonly directory?: string };
}

/** The URL fields of the manifest in `folder`, such as `packages/bff`. The repository root is `''`. */
export function addressFields({ repository }: Project, folder: string): AddressFields {
  if (repository === null) return {};
  return {
    homepage: folder === '' ? `${repository}#readme` : `${repository}/tree/main/${folder}#readme`,
    bugs: { url: `${repository}/issues` },
    repository: { type: 'git', url: `git+${repository}.git`, ...(folder === '' ? {} : { directory: folder }) },
  };
}
