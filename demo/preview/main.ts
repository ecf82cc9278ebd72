import { join } from 'node:path';
import { writePreviewData } from './preview-data.ts';

/** Adds the data to the output folder of `vite build --mode preview`. */
writePreviewData(join(import.meta.dirname, '../dist-preview/studio/preview'));
