import { join } from 'node:path';
import { writePreviewData } from './preview-data.ts';

/** Writes the data next to the pages that `vite build --mode preview` wrote. */
await writePreviewData(join(import.meta.dirname, '../dist-preview/studio/preview'));
