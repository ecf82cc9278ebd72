import type { FeatureDefinition } from '../../feature.ts';
import { readDescription } from './api-description.ts';
import { fileRoutes } from './file-routes.ts';
import { readWidgetFiles, widgetScriptPath } from './read-widget-files.ts';

/** The files that pages load: the card's script, the files next to it, and the OpenAPI description of the BFF. */
export const filesFeature: FeatureDefinition = {
  open({ config, warn }) {
    const widget = readWidgetFiles(widgetScriptPath());
    if (widget === undefined) warn('Cannot serve /pulse-card.js: the card is not built (npm run build)');
    const files = new Map([...(widget?.byPath ?? []), ['/v1/openapi.yaml', readDescription(config)] as const]);
    return { name: 'files', routes: fileRoutes(files), ...(widget && { widget }) };
  },
};
