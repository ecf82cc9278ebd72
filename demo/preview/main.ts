import { join } from 'node:path';
import { writePreviewData } from './preview-data.ts';

/** Writes the data into the folder that `vite build --mode preview` wrote. */
writePreviewData(join(import.meta.dirname, '../dist-preview/studio/preview'));
