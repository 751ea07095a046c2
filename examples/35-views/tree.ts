/** A view as the lines of a tree: what a page would draw with components. */
import type { AgentView, PartView, RunView } from 'troupe/view'

export function treeOf(view: RunView): string[] {
  return [
    `${view.status}, ${view.usage.totalTokens} tokens`,
    ...view.agents.map((agent) => linesOf(agent, '')).flat(),
  ]
}

function linesOf({ agent, parts }: AgentView, indent: string): string[] {
  return [`${indent}${agent}`, ...parts.map((part) => linesOfPart(part, `${indent}  `)).flat()]
}

/** Steps and iterations stand between the other parts: this tree leaves them out. */
function linesOfPart(part: PartView, indent: string): string[] {
  switch (part.type) {
    case 'text':
      return [`${indent}"${part.text}"`]
    case 'tool': {
      const result = part.result === undefined ? '' : ` → ${JSON.stringify(part.result)}`
      return [`${indent}${part.toolName} ${JSON.stringify(part.args)} ${part.status}${result}`]
    }
    case 'delegation':
      return [
        `${indent}asks: ${part.prompt} ${part.status}`,
        ...part.agents.map((agent) => linesOf(agent, `${indent}  `)).flat(),
      ]
    default:
      return []
  }
}
