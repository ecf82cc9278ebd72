import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { provideBaseImages } from '@pulse-card/testkit/images/base-images';
import { type ContainerEngine, engineRun, provideEngine } from '@pulse-card/testkit/images/container-engine';
import { CANARY, ENGINE_VARIABLE, type ImageTarget, IMAGES } from '@pulse-card/testkit/images/image-under-test';
import { copyWorkTree } from '@pulse-card/testkit/work-tree-copy';
import { runTestFiles } from './run.ts';

/** Builds both images from a copy of the work tree and runs `e2e/packaging/image.test.ts` on them. */
async function main(): Promise<void> {
  const engine = provideEngine();
  console.log(`Container engine: ${engine.name}`);
  const context = contextWithSecrets();
  try {
    const baseArguments = await provideBaseImages(engine);
    for (const target of ['bff', 'service'] as const) build(engine, target, context, baseArguments);
    await runTestFiles(['e2e/packaging/image.test.ts'], { [ENGINE_VARIABLE]: JSON.stringify(engine) });
  } finally {
    rmSync(context, { recursive: true });
    engine.close();
  }
}

/** Files that might exist in a work tree but must not be in an image. */
const SECRET_FILES = [
  '.env',
  'packages/bff/.env.local',
  'packages/bff/.cache/key',
  'packages/service/.data/key',
  '.git/config',
];

/** Creates a copy of the work tree, with a secret in each kind of file that must not be in an image. */
function contextWithSecrets(): string {
  const folder = copyWorkTree();
  for (const file of SECRET_FILES) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), `PULSE_API_KEY=${CANARY}\n`);
  }
  return folder;
}

function build(engine: ContainerEngine, target: ImageTarget, context: string, baseArguments: readonly string[]): void {
  const startedAt = performance.now();
  const options = [...engine.buildArguments, ...baseArguments];
  engineRun(engine, ['build', ...options, '--target', target, '--tag', IMAGES[target], '.'], context);
  console.log(`Built ${IMAGES[target]} in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

await main();
