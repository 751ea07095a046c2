/** Model Context Protocol: the tools of servers for agents, and agents as the tools of a server. */
export type {
  McpAnnotations,
  McpAnswer,
  McpCall,
  McpCallOptions,
  McpClient,
  McpTool,
  ServerProgress,
} from './connection/client.ts'
export { mcpConnection } from './connection/connection.ts'
export type {
  McpConnection,
  McpConnectionChange,
  McpConnectionOptions,
  McpConnectionState,
  McpTransport,
} from './connection/connection.ts'
export { mcpTools } from './tools/mcp-tools.ts'
export type { McpProgress, McpToolCall, McpToolsOptions } from './tools/options.ts'
export { mcpServer } from './server/mcp-server.ts'
export type {
  McpAgentCall,
  McpAnswering,
  McpAuthInfo,
  McpServerOptions,
  ServedRun,
  ServingTroupe,
} from './server/options.ts'
export { answerElicitation, isElicitation } from './elicitation/question.ts'
export type { Elicitation, ElicitationAnswer, ElicitationQuestion } from './elicitation/question.ts'
