// The SDK's client. Some of its dependencies export their sources under the `source` condition, which is meant for our
// own packages.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const isForeign = context.parentURL?.includes('/node_modules/') === true;
    const conditions = context.conditions.filter((condition) => !isForeign || condition !== 'source');
    return next(specifier, { ...context, conditions });
  },
});

export const { Client, InMemoryTransport, StreamableHTTPClientTransport } =
  await import('@modelcontextprotocol/client');
export const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
