/** Tells the work of a run as states of its task. */
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import type { A2aRun } from './options.ts'

export interface Progress {
  /** The number of the last event that was seen. */
  last(): number
  /** Tells nothing further. */
  stop(): void
}

/** Tells the events of a run behind the event `after`. */
export function tellProgress(run: A2aRun, after: number, tell: (text: string) => void): Progress {
  let last = after
  let isStopped = false
  const follow = async (): Promise<void> => {
    for await (const event of run.events) {
      if (isStopped) return
      if (event.seq === undefined || event.seq <= last) continue
      last = event.seq
      const text = textOf(event)
      if (text !== undefined) tell(text)
    }
  }
  follow().catch(() => {
    isStopped = true // the request itself fails with the reason
  })
  return {
    last: () => last,
    stop: () => {
      isStopped = true
    },
  }
}

function textOf({ agent, type, payload }: RunEvent): string | undefined {
  switch (type) {
    case 'tool-call':
      return `${agent} calls ${payload.toolName}`
    case 'delegation-start':
      return `${agent} asks ${payload.agentId}`
    case 'delegation-end':
      return `${payload.agentId} has ended: ${payload.outcome}`
    case 'handoff':
      return `${payload.from} hands over to ${payload.to}`
    default:
      return undefined
  }
}
