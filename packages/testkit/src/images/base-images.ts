import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../root.ts';
import { ask } from '../system/ask.ts';
import { type ContainerEngine, engineRun, provide } from './container-engine.ts';

const CA_FILE = '/etc/ssl/certs/ca-certificates.crt';

/** Files that aren't needed in a distroless image or for a build. */
const LEFT_OUT = ['/usr/share/man/*', '/usr/share/locale/*', '/usr/lib/*/gconv/*'].map(
  (path) => `--dpkgopt=path-exclude=${path}`,
);

/** The packages of `gcr.io/distroless/cc-debian13`. */
const LIBRARIES = 'base-files,netbase,tzdata,ca-certificates,libc6,libgcc-s1,libgomp1,libstdc++6,libssl3t64';

/** The base images that the Dockerfile uses. */
export interface BaseImages {
  readonly node: string;
  readonly runtime: string;
}

/** Reads the base images' names from the Dockerfile. */
export function baseImagesIn(dockerfile: string): BaseImages {
  const valueOf = (name: string): string => {
    const value = new RegExp(`^ARG ${name}=(\\S+)$`, 'm').exec(dockerfile)?.[1];
    if (value === undefined) throw new Error(`Can’t find the base image: Dockerfile has no ARG ${name}`);
    return value;
  };
  return { node: valueOf('NODE_IMAGE'), runtime: valueOf('RUNTIME_IMAGE') };
}

/**
 * Pulls the base images. If no registry responds, builds replacements from Debian and npm packages. Resolves to the
 * `build` arguments that the replacements need, because their digests differ from those in the Dockerfile.
 */
export async function provideBaseImages(engine: ContainerEngine): Promise<readonly string[]> {
  const images = baseImagesIn(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const [program = '', ...before] = engine.command;
  const canPull = Object.values(images).every(
    (image) => ask(program, [...before, 'pull', '--quiet', fullName(image)]).ok,
  );
  if (canPull) return [];
  console.log('No container registry responds: creating stand-ins for the base images with mmdebstrap');
  provide('the image tests', 'mmdebstrap');
  const folder = mkdtempSync(join(tmpdir(), 'pulse-base-'));
  const runtime = withoutDigest(fullName(images.runtime));
  const node = withoutDigest(fullName(images.node));
  makeRuntimeImage(engine, runtime, folder);
  makeNodeImage(engine, node, folder);
  rmSync(folder, { recursive: true });
  return ['--build-arg', `NODE_IMAGE=${node}`, '--build-arg', `RUNTIME_IMAGE=${runtime}`];
}

/** Adds the registry and path that are part of the full name of an official Docker Hub image. */
function fullName(image: string): string {
  return image.includes('/') ? image : `docker.io/library/${image}`;
}

function withoutDigest(image: string): string {
  return image.replace(/@sha256:.*$/, '');
}

/** An image that contains only libraries, like distroless. */
function makeRuntimeImage(engine: ContainerEngine, image: string, folder: string): void {
  debstrap(join(folder, 'libraries.tar'), ['--variant=extract', `--include=${LIBRARIES}`]);
  buildBase(engine, image, folder, ['FROM scratch', 'ADD libraries.tar /', 'USER 65532:65532']);
}

/** A minimal Debian with this repository's Node and this machine's npm. */
function makeNodeImage(engine: ContainerEngine, image: string, folder: string): void {
  debstrap(join(folder, 'debian.tar'), ['--variant=minbase', '--include=ca-certificates']);
  copyFileSync(process.execPath, join(folder, 'node'));
  copyFileSync(CA_FILE, join(folder, 'ca.crt'));
  const { stdout: npmRoot } = ask('npm', ['root', '--global']);
  cpSync(join(npmRoot, 'npm'), join(folder, 'npm'), { recursive: true, dereference: true });
  buildBase(engine, image, folder, [
    'FROM scratch',
    'ADD debian.tar /',
    `COPY ca.crt ${CA_FILE}`,
    'COPY node /usr/local/bin/node',
    'RUN touch /usr/local/LICENSE',
    'COPY npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    `ENV NODE_EXTRA_CA_CERTS=${CA_FILE}`,
  ]);
}

function debstrap(tarball: string, options: readonly string[]): void {
  const { ok, stderr } = ask('mmdebstrap', ['--quiet', ...LEFT_OUT, ...options, 'trixie', tarball, debianMirror()]);
  if (!ok) throw new Error(`Can’t make a base image: mmdebstrap failed\n${stderr}`);
}

/** The URL that this machine downloads Debian's packages from. */
function debianMirror(): string {
  const { stdout } = ask('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages']);
  const mirror = stdout.split('\n').find((line) => line.startsWith('http') && line.endsWith('/debian'));
  if (mirror === undefined) throw new Error('Can’t make a base image: apt lists no Debian mirror');
  return mirror;
}

function buildBase(engine: ContainerEngine, image: string, folder: string, lines: readonly string[]): void {
  const file = join(folder, 'Dockerfile');
  writeFileSync(file, `${lines.join('\n')}\n`);
  engineRun(engine, ['build', ...engine.buildArguments, '--tag', image, '--file', file, dirname(file)]);
}
