/** The answer to a call that waits: its run, and which of its calls. */
import { ConfigurationError, type AwaitedSignal, type JsonValue, type Run, type Troupe } from '../index.ts'
import { aName, type Fields, isRecord, optional, readOptions, required } from '../kit/index.ts'

/** Which call is answered. */
export interface AnswerOptions {
  /** The run that waits. */
  readonly runId: string
  /** The call. Default: the one call that waits. */
  readonly toolCallId?: string
}

const fields: Fields<AnswerOptions> = { runId: required(aName), toolCallId: optional(aName) }

/** Approves the call, denies it, or gives it the data that it waits for. */
export type Answering = (run: Run, awaited: Pick<AwaitedSignal, 'toolCallId' | 'type'>) => Promise<void>

export const approving: Answering = (run, { toolCallId }) => run.approve(toolCallId)
export const declining: Answering = (run, { toolCallId }) => run.deny(toolCallId)
/** A call that waits for approval is approved by `{ approved: true }`, and denied by any other data. */
export const resuming =
  (data: JsonValue | undefined): Answering =>
  (run, awaited) => {
    if (awaited.type !== 'approval') return run.resume(awaited.toolCallId, data)
    return isRecord(data) && data['approved'] === true ? approving(run, awaited) : declining(run, awaited)
  }

export function readAnswerOptions(given: AnswerOptions, where: string): AnswerOptions {
  return readOptions(given, where, fields)
}

/**
 * Answers a run of the troupe that waits. `after` is how often it was suspended so far. Rejects with a `SignalError` for a
 * call that does not wait, and with a `ConfigurationError` where several wait and none is named.
 */
export async function answered(
  troupe: Troupe,
  { runId, toolCallId }: AnswerOptions,
  answer: Answering,
  where: string,
): Promise<{ readonly run: Run; readonly after: number }> {
  const run = await troupe.resume(runId)
  const { events } = await troupe.replay(runId)
  const after = events.filter(({ type }) => type === 'suspended').length
  await answer(run, await awaitedCall(run, toolCallId, where))
  return { run, after }
}

/** A call that does not wait is passed on: the run says why. */
async function awaitedCall(
  run: Run,
  toolCallId: string | undefined,
  where: string,
): Promise<Pick<AwaitedSignal, 'toolCallId' | 'type'>> {
  const result = await run.whenIdle
  const awaiting = result.outcome === 'suspended' ? result.awaiting : []
  if (toolCallId !== undefined) {
    const named = awaiting.find((one) => one.toolCallId === toolCallId)
    return named ?? { toolCallId, type: 'suspension' }
  }
  const [only] = awaiting
  if (only !== undefined && awaiting.length === 1) return only
  throw new ConfigurationError(
    `${where}: ${awaiting.length} calls of the run "${run.id}" wait; toolCallId must name one.`,
  )
}
