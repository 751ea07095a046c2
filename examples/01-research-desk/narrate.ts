/** Tells the story of a run from its events: who asks whom, the article as it is written, and its scores. */
import type { Run } from 'troupe'
import { callIn, emptyView, nextView, type RunView } from 'troupe/view'
import type { Terminal } from './terminal.ts'
import type { ActorTree } from './tree.ts'
import { endInWords, scores } from './words.ts'

/** Resolves when the run has ended. */
export async function narrate(run: Run, tree: ActorTree, terminal: Terminal): Promise<void> {
  let view = emptyView
  const tell = (text: string): void => {
    terminal.print(fitted(text, terminal.columns))
    tree.redraw()
  }

  for await (const event of run.events) {
    const { type, payload, path, delegationId } = event
    view = nextView(view, event)
    switch (type) {
      case 'run-start':
        tell(`The lead is asked: ${payload.task}`)
        break
      case 'delegation-start':
        tell(`The lead asks the ${payload.agentName}: ${payload.prompt}`)
        break
      case 'delegation-rejected':
        tell(`The lead may not ask the ${payload.agentName}: ${payload.reason}`)
        break
      case 'tool-call':
        tree.name(path, payload.toolName)
        break
      case 'delegation-end': {
        const used = toolsOf(view, path)
        const by = used.length === 0 ? '' : `, with ${used.join(', ')}`
        tell(`The ${payload.agentName} ${endInWords(payload.outcome)}${by}.`)
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

/** The names of the tools that the subagent of a delegation has called. */
function toolsOf(view: RunView, delegationId: string): readonly string[] {
  const delegation = callIn(view, delegationId)
  if (delegation?.type !== 'delegation') return []
  const parts = delegation.agents.map((agent) => agent.parts.toArray()).flat()
  return parts.flatMap((part) => (part.type === 'tool' ? part.toolName : []))
}

/** In one line of the terminal. */
function fitted(text: string, columns: number): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`
}
