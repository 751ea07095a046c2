/** The report of a run that waits for a person, when its caller has no handle to answer it with. */
import { TroupeError } from '../../errors.ts'
import type { AwaitedSignal } from '../../machines/contract/events.ts'
import type { SuspendedResult } from '../handle/result.ts'
import type { Problem } from '../report.ts'

/** `agent`: the id of the agent whose `generate` was called. */
export function unanswerable(agent: string, { runId, awaiting }: SuspendedResult): Problem {
  const waits = awaiting.map(
    ({ toolName, agent: asker, type }) => `${callOf[type]} of "${toolName}" by "${asker}"`,
  )
  const answers = [...new Set(awaiting.map(({ type }) => answerOf[type]))]
  const error = new TroupeError(
    'ANSWER_NEEDED',
    `The run waits for ${waits.join(', ')}, and generate() gives no handle to answer with. Start it with createTroupe({ agents: [${agent}] }).start(${agent}, prompt), or with ${agent}.stream(prompt), and call ${answers.join(' or ')} of that run; result.awaiting has each toolCallId.`,
    { runId },
  )
  return { message: `generate() of "${agent}" ended suspended`, where: 'run', error, runId, agent }
}

const callOf: Readonly<Record<AwaitedSignal['type'], string>> = {
  approval: 'an approval',
  suspension: 'data for a call',
  interruption: 'a decision on an interrupted call',
}

const answerOf: Readonly<Record<AwaitedSignal['type'], string>> = {
  approval: 'approve(toolCallId) or deny(toolCallId)',
  suspension: 'resume(toolCallId, data)',
  interruption: 'resume(toolCallId, { retry: true })',
}
