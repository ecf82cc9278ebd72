export { type McpHandler, mcpHandler, type McpHandlerOptions } from './mcp-handler.ts';
