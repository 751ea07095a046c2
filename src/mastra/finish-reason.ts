/** Why a run has ended, in the words of Mastra. */
import type { RunEvent, RunResult } from '../index.ts'

type Finished = Extract<RunEvent, { type: 'run-finish' }>['payload']

/** `stop`, `tool-calls` where a cap was reached, `tripwire`, `suspended`, `abort` or `error`. */
export function finishReasonOf({ outcome }: Pick<Finished, 'outcome'> | Pick<RunResult, 'outcome'>): string {
  switch (outcome) {
    case 'completed':
    case 'bailed':
    case 'stopped':
      return 'stop'
    case 'exhausted':
      return 'tool-calls'
    case 'tripped':
      return 'tripwire'
    case 'failed':
      return 'error'
    case 'cancelled':
      return 'abort'
    case 'suspended':
      return 'suspended'
  }
}
