/**
 * The part of a client that tools use. The `Client` of the package `@modelcontextprotocol/client` has it, and the types
 * here keep that package out of the public declarations.
 */

/** A tool as an MCP server describes it. */
export interface McpTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: object
  readonly outputSchema?: object | undefined
  readonly annotations?: McpAnnotations | undefined
}

/** Hints of the server about a tool. They are claims: believe them of a server that you trust. */
export interface McpAnnotations {
  readonly title?: string | undefined
  /** The tool changes nothing. */
  readonly readOnlyHint?: boolean | undefined
  /** The tool may delete or overwrite. */
  readonly destructiveHint?: boolean | undefined
  /** A second call with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}

/** Progress as a server reports it. */
export interface ServerProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** A call of a tool, as it is sent to a server. */
export interface McpCall {
  name: string
  arguments?: Record<string, unknown>
  _meta?: Record<string, unknown>
  inputResponses?: Record<string, McpAnswer>
  requestState?: string
}

/** The answer to one question of a server. */
export interface McpAnswer {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean | string[]>
}

/** How a client is to make a call: its limit of time, its signal, its listener of progress. */
export interface McpCallOptions {
  readonly signal?: AbortSignal
  readonly timeout?: number
  readonly resetTimeoutOnProgress?: boolean
  readonly allowInputRequired?: boolean
  readonly onprogress?: (progress: ServerProgress) => void
}

/** A connected client of an MCP server: the `Client` of `@modelcontextprotocol/client` has these methods. */
export interface McpClient {
  callTool(call: McpCall, options?: McpCallOptions): Promise<object>
  listTools(): Promise<{ readonly tools: readonly McpTool[] }>
}
