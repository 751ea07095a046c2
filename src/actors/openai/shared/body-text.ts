/** The body of a request as JSON: its lists are texts already. */
import type { ToolDescription } from '../../chat-model.ts'
import type { MessageTexts } from './message-texts.ts'
import type { ToolTexts } from './tool-texts.ts'

/** The texts that are kept for one model. */
export interface KeptTexts {
  readonly messages: MessageTexts
  readonly tools: ToolTexts
}

/** The lists of a body: their JSON by their names. */
export type ListTexts = Readonly<Record<string, string>>

/** `others`: all fields but the lists, at least one. */
export function bodyText(others: object, lists: ListTexts): string {
  const names = Object.keys(lists)
  const frame = JSON.stringify({ ...others, ...Object.fromEntries(names.map((name) => [name, undefined])) })
  return `${frame.slice(0, -1)},${names.map((name) => `"${name}":${lists[name]}`).join(',')}}`
}

/** Empty for a request without tools: servers refuse an empty list. */
export function toolList(
  tools: readonly ToolDescription[],
  texts: ToolTexts,
  toTool: (tool: ToolDescription) => object,
): ListTexts {
  return tools.length === 0 ? {} : { tools: texts.list(tools, toTool) }
}
