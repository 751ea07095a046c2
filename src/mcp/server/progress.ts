/** Reports the work of a run as progress of the call that started it. */
import type { Run, RunEvent } from '../../index.ts'
import { isRecord, progressText } from '../../kit/index.ts'

/** Sends one report. Its rejection ends the reports: the client has gone. */
export type SendProgress = (progress: number, message: string) => Promise<void>

export interface Reports {
  /** The number of the last event that was seen. */
  last(): number
  /** Sends no further report. */
  stop(): void
}

/** Reports the events of a run after the event `after`. */
export function reportProgress(
  run: Pick<Run, 'events'>,
  after: number,
  send: SendProgress | undefined,
): Reports {
  let last = after
  let reports = 0
  let isStopped = false
  const follow = async (): Promise<void> => {
    for await (const event of run.events) {
      if (isStopped) return
      if (event.type === 'tool-progress') {
        reports++
        await send?.(between(last, reports), progressOf(event))
      }
      if (event.seq === undefined || event.seq <= last) continue
      last = event.seq
      reports = 0
      const message = progressText(event)
      if (message !== undefined) await send?.(last, message)
    }
  }
  follow().catch(() => {
    isStopped = true // the call itself fails with the reason
  })
  return {
    last: () => last,
    stop: () => {
      isStopped = true
    },
  }
}

/** Progress must grow: what a tool reports has no number of its own, and comes before the next event. */
function between(last: number, reports: number): number {
  return last + 1 - 1 / (reports + 1)
}

/** A text, or the `message` of an object, as the progress of an MCP server has it; otherwise the value as JSON. */
function progressOf({
  agent,
  payload: { toolName, value },
}: Extract<RunEvent, { type: 'tool-progress' }>): string {
  const message = isRecord(value) ? value['message'] : value
  return `${agent}: ${toolName}: ${typeof message === 'string' ? message : JSON.stringify(value)}`
}
