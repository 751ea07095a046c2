/**
 * The events of a whole tree of agents, as they come. Agents at work side by side speak in turns; the path of an
 * event says who it is, and here how far it is indented.
 */
import type { Run } from 'troupe'
import { row } from '../support/report.ts'

const width = 36

export async function narrate(run: Run): Promise<void> {
  for await (const event of run.events) {
    const say = (text: string, path = event.path) => row(label(path), text, width)
    switch (event.type) {
      case 'run-start':
        say(`is asked: ${event.payload.task}`)
        break
      case 'delegation-start':
        say(`is asked: ${event.payload.prompt}`, `${event.path}/${event.payload.agentId}`)
        break
      case 'tool-call':
        say(`calls ${event.payload.toolName} ${JSON.stringify(event.payload.args)}`)
        break
      case 'tool-result':
        say(`is given ${JSON.stringify(event.payload.result)}`)
        break
      case 'delegation-end':
        say(`${event.payload.outcome}: ${event.payload.text}`, `${event.path}/${event.payload.agentId}`)
        break
      case 'run-finish':
        say(`${event.payload.outcome}: ${event.payload.text}`)
        break
      default:
    }
  }
}

/** `festival/delegation:1.1/music/delegation:1.2/scout` is shown as `music 1.1 › scout 1.2`, two levels in. */
function label(path: string): string {
  const [root = '', ...rest] = path.split('/')
  const agents: string[] = []
  for (const [index, segment] of rest.entries()) {
    const number = /^delegation:(.*)/.exec(segment)?.[1]
    if (number !== undefined) agents.push(`${rest[index + 1] ?? ''} ${number}`)
  }
  return '   '.repeat(agents.length) + (agents.join(' › ') || root)
}
