/** How a dispatcher ends: as the one did that it handed the task to. */
import type { ErrorData } from '../../errors.ts'
import type { DelegationOutput } from '../delegation.ts'
import type { Ending } from '../loop/context.ts'
import type { Report } from '../loop/record.ts'
import type { ToolCallOutput } from '../tool-call.ts'

export function endingOf(report: Report): Ending {
  if ('record' in report) return ofDelegation(report)
  return 'content' in report ? ofCall(report) : failed(undefined, 'The task was not answered.')
}

function ofDelegation({ record, reason }: DelegationOutput): Ending {
  switch (record.outcome) {
    case 'succeeded':
      return { outcome: 'completed' }
    case 'bailed':
      return { outcome: 'bailed' }
    case 'exhausted':
      return { outcome: 'exhausted', reason: reason ?? 'unknown' }
    case 'cancelled':
      return { outcome: 'cancelled', reason: reason ?? 'cancelled' }
    case 'rejected':
      return failed(undefined, `Delegation rejected: ${reason}`, 'DELEGATION_REJECTED')
    case 'failed':
    case 'timedOut':
      return failed(record.error, `The agent "${record.agent}" failed.`)
  }
}

function ofCall({ outcome, error }: ToolCallOutput): Ending {
  return outcome === 'succeeded' ? { outcome: 'completed' } : failed(error, `The call was ${outcome}.`)
}

function failed(error: ErrorData | undefined, message: string, code = 'DISPATCH_FAILED'): Ending {
  return { outcome: 'failed', error: error ?? { name: 'DispatchError', code, message } }
}
