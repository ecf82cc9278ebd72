// The SDK's client. Some packages below it export their sources under the condition `source`, which is only for our own.
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
