/** Tool calls of the conversation so far, in a form that a server accepts back, malformed ones included. */
import type { ToolDescription } from '../../chat-model.ts'
import { isRecord } from '../../values/json.ts'
import type { ToolCall } from '../../message.ts'

/** A call as it is sent again. */
export interface Replayed {
  readonly name: string
  /** JSON as text; `{}` for malformed arguments. */
  readonly args: string
}

export function replayer(tools: readonly ToolDescription[]): (call: ToolCall) => Replayed {
  const nameOf = replayableName(tools)
  return ({ name, args, malformed }) => ({
    name: nameOf(name),
    args: malformed === undefined && isRecord(args) ? JSON.stringify(args) : '{}',
  })
}

/** The name of a call as it is sent again. */
export function replayableName(tools: readonly ToolDescription[]): (name: string) => string {
  const names = new Set(tools.map((tool) => tool.name))
  return (name) => (names.has(name) ? name : acceptableName(name))
}

/** Whether a call of this name is sent again under it whatever the tools are. */
export function isAcceptableName(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

/** A model may call a tool by a name of its own making; OpenAI answers 400 for good if one is not of this form. */
function acceptableName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}
