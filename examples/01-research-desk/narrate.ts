/** Tells what happens in a run, from its events: the article as it is written, and how it is scored. */
import type { Run } from 'troupe'
import { scores } from './summary.ts'
import type { Terminal } from './terminal.ts'
import type { ActorTree } from './tree.ts'

export async function narrate(run: Run, tree: ActorTree, terminal: Terminal): Promise<void> {
  for await (const event of run.events) {
    const isLead = event.delegationId === undefined
    switch (event.type) {
      case 'delegation-start':
        tree.note(event.path, `${event.payload.agentName}: ${oneLine(event.payload.prompt)}`)
        break
      case 'delegation-rejected':
        tree.note(event.path, `${event.payload.agentName}: ${event.payload.reason}`)
        break
      case 'tool-call':
        tree.note(event.path, `${event.payload.toolName} ${JSON.stringify(event.payload.args)}`)
        break
      case 'text-start':
        if (!isLead) break
        tree.pause()
        terminal.print(`\n${terminal.style('bold', 'The lead writes:')}\n`)
        break
      case 'text-delta':
        if (isLead) terminal.stream(event.payload.text)
        break
      case 'text-end':
        if (!isLead) break
        terminal.print()
        tree.resume()
        break
      case 'scoring-complete': {
        const verdict = event.payload.complete ? 'The answer passes' : 'The answer does not pass'
        terminal.print(`${terminal.style('bold', verdict)}: ${scores(event.payload.results)}\n`)
        break
      }
      case 'error':
        terminal.print(
          `${terminal.style('red', 'Error')} at ${event.path}: ${event.payload.error.message}${event.payload.willRetry ? ' (trying again)' : ''}`,
        )
        break
      default:
    }
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
