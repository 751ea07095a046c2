/** The ending of an agent that gives its whole task to a child: the same as that of the child. */
import { filesOf, textAlone, type Content, type FilePart } from '../../../actors/content/content.ts'
import type { ErrorData } from '../../../errors.ts'
import type { DelegationRecord } from '../../contract/records.ts'
import type { DelegationOutput, Report, ToolCallOutput } from '../../contract/reports.ts'
import { isOverBudget } from '../../contract/spent.ts'
import type { LoopChange, Ending, LoopContext } from './context.ts'

/** The text of the child becomes the agent's, unless a hook has replaced it. */
export function passOn({ said, input }: LoopContext, report: DelegationOutput): LoopChange {
  const { record, content, message, object } = report
  const takesContent =
    record.outcome === 'succeeded' && !input.profile.delegation.includeSubAgentToolResultsInModelContext
  const files = takesContent ? answerFiles(content, record) : (record.files ?? [])
  return {
    said: {
      text: takesContent ? textAlone(content) : record.text,
      // An answer becomes a message of the agent's own.
      message: record.outcome === 'bailed' ? (message ?? said.message) : undefined,
      ...(object === undefined ? {} : { object }),
      ...(files.length === 0 ? {} : { files }),
    },
    ending: endingOf(report),
  }
}

/** The files of a result; of a delegation those of its answer, and not those that were made on the way to it. */
export function answerFiles(
  content: Content,
  record: Pick<DelegationRecord, 'files'> | undefined,
): readonly FilePart[] {
  const files = filesOf(content)
  return record === undefined ? files : files.filter((file) => record.files?.includes(file))
}

/** The ending that this report of the child leads to. */
export function endingOf(report: Report): Ending {
  if (report.kind === 'delegation') return ofDelegation(report)
  return report.kind === 'tool' ? ofCall(report) : failed(undefined, 'The task was not answered.')
}

function ofDelegation({ record, reason }: DelegationOutput): Ending {
  switch (record.outcome) {
    case 'succeeded':
      return { outcome: 'completed' }
    case 'bailed':
      return { outcome: 'bailed' }
    case 'exhausted':
      return { outcome: 'exhausted', reason: reason ?? 'subagent' }
    case 'cancelled':
      return { outcome: 'cancelled', reason: reason ?? 'cancelled' }
    case 'rejected':
      return failed(undefined, `Delegation rejected: ${reason}`, 'DELEGATION_REJECTED')
    case 'failed':
    case 'timedOut':
      return failed(record.error, `The agent "${record.agent}" ended as ${record.outcome}.`)
  }
}

function ofCall({ outcome, error }: ToolCallOutput): Ending {
  if (outcome === 'succeeded') return { outcome: 'completed' }
  if (isOverBudget(error)) return { outcome: 'exhausted', reason: 'budget' }
  return failed(error, `The call ended as ${outcome}.`, 'CALL_FAILED')
}

function failed(error: ErrorData | undefined, message: string, code = 'DELEGATION_FAILED'): Ending {
  return { outcome: 'failed', error: error ?? { name: 'DelegationError', code, message } }
}
