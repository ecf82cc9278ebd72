import { resolve } from 'node:path';
import { Listr } from 'listr2';
import { buildDemo, type BuiltDemo } from './build-demo.ts';

/** The folder for the demo's data, unless an argument specifies a different folder. */
const DEFAULT_FOLDER = '.data/demo';

const folder = resolve(process.argv[2] ?? DEFAULT_FOLDER);

const tasks = new Listr<{ built?: BuiltDemo }>(
  [
    {
      title: 'Drawing the demo from public data',
      task: async (context, task) => {
        context.built = await buildDemo({
          folder,
          onProgress: ({ title, done, total }) => {
            task.output = `${done} of ${total}: ${title}`;
          },
        });
      },
    },
  ],
  { fallbackRenderer: 'simple' },
);

const { built } = await tasks.run({});
if (built) {
  const { document, charts, file } = built;
  console.log(
    `${document.sources.length} sources, ${document.runs.length} runs, ${charts.drawn} charts drawn, ${charts.kept} charts kept: ${file}`,
  );
}
