/** Tells the story of a run from its events: who asks whom, the article as it is written, and its scores. */
import type { Run } from 'troupe'
import { scores } from './summary.ts'
import type { Terminal } from './terminal.ts'
import type { ActorTree } from './tree.ts'
import { endInWords } from './words.ts'

export async function narrate(run: Run, tree: ActorTree, terminal: Terminal): Promise<void> {
  /** The names of the subagents and of the tools that they used, by delegation. */
  const subagents = new Map<string, string>()
  const tools = new Map<string, string[]>()
  const tell = (text: string): void => {
    terminal.print(fitted(text, terminal.columns))
    tree.redraw()
  }

  for await (const event of run.events) {
    const { type, payload, path, delegationId } = event
    switch (type) {
      case 'run-start':
        tell(`The lead is asked: ${payload.task}`)
        break
      case 'delegation-start':
        subagents.set(path, payload.agentName)
        tell(`The lead asks the ${payload.agentName}: ${payload.prompt}`)
        break
      case 'delegation-rejected':
        tell(`The lead may not ask the ${payload.agentName}: ${payload.reason}`)
        break
      case 'tool-call':
        if (delegationId !== undefined)
          tools.set(delegationId, [...(tools.get(delegationId) ?? []), payload.toolName])
        tree.name(path, payload.toolName)
        break
      case 'delegation-end': {
        const agent = subagents.get(path)
        const used = tools.get(path) ?? []
        const by = used.length === 0 ? '' : `, with ${used.join(', ')}`
        if (agent !== undefined) tell(`The ${agent} ${endInWords(payload.outcome)}${by}.`)
        break
      }
      case 'text-start':
        if (delegationId !== undefined) break
        tree.pause()
        terminal.print(`\n${terminal.style('bold', 'The lead writes:')}\n`)
        break
      case 'text-delta':
        if (delegationId === undefined) terminal.stream(payload.text)
        break
      case 'text-end':
        if (delegationId !== undefined) break
        terminal.print()
        tree.resume()
        break
      case 'scoring-complete': {
        const verdict = payload.complete ? 'The answer passes' : 'The answer does not pass'
        terminal.print(`${terminal.style('bold', verdict)}: ${scores(payload.results)}\n`)
        break
      }
      case 'error':
        terminal.print(
          `${terminal.style('red', 'Error')} at ${path}: ${payload.error.message}${payload.willRetry ? ' (trying again)' : ''}`,
        )
        break
      default:
    }
  }
}

/** In one line of the terminal. */
function fitted(text: string, columns: number): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`
}
