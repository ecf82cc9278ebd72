import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { provideBaseImages } from './image/base-images.ts';
import { type ContainerEngine, engineRun, provideEngine } from './image/container-engine.ts';
import { CANARY, ENGINE_VARIABLE, type ImageTarget, IMAGES } from './image/image-under-test.ts';
import { ROOT } from './run.ts';

await main();

/** Builds both images out of a copy of the work tree, and runs `deploy/image.spec.ts` on them. */
async function main(): Promise<void> {
  const engine = await provideEngine();
  console.log(`Container engine: ${engine.name}`);
  const context = copyOfWorkTree();
  try {
    console.log(`Base images: ${await provideBaseImages(engine)}`);
    for (const target of ['bff', 'service'] as const) build(engine, target, context);
    process.exitCode = runSpec(engine);
  } finally {
    rmSync(context, { recursive: true });
    engine.close();
  }
}

/** What git knows or would add, and beside it the kinds of files that must not get into an image. */
function copyOfWorkTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-context-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of listed.toString().split('\0').filter(Boolean))
    cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  const secrets = [
    '.env',
    'packages/bff/.env.local',
    'packages/bff/.cache/key',
    'packages/service/.data/key',
    '.git/config',
  ];
  for (const file of secrets) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), `PULSE_API_KEY=${CANARY}\n`);
  }
  return folder;
}

function build(engine: ContainerEngine, target: ImageTarget, context: string): void {
  const startedAt = performance.now();
  engineRun(engine, ['build', ...engine.buildArguments, '--target', target, '--tag', IMAGES[target], '.'], context);
  console.log(`Built ${IMAGES[target]} in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

function runSpec(engine: ContainerEngine): number {
  const { status } = spawnSync(process.execPath, ['--conditions=source', '--test', 'deploy/image.spec.ts'], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, [ENGINE_VARIABLE]: JSON.stringify(engine) },
  });
  return status ?? 1;
}
