export { mcpHandler } from './mcp-handler.ts';
export type { McpHandler, McpHandlerOptions } from './mcp-handler.ts';
