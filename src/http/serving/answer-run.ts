/** The answers of a page to questions of a run: one request may have several, and then streams the run. */
import { RunNotFoundError, type RunSignal, type RunWatch, SignalError } from '../../index.ts'
import { RefusedRequest, mostAnswers, tooMany } from '../../kit/wire/index.ts'
import type { Access, ServedRun } from '../access/authorize.ts'
import { watchFrom } from './run-stream.ts'
import type { Serving } from './serving.ts'

export interface AskedAnswers {
  readonly request: Request
  /** The id of the agent that the request names. */
  readonly agent: string
  readonly runId: string
  /** The cursor of the last event that the page has. */
  readonly after?: string | undefined
  /** The answers as this caller gives them. */
  readonly signals: (access: Access, run: ServedRun) => readonly RunSignal[]
}

/**
 * Gives the answers, and resolves with the events behind the last one that the page has. A request that is refused with the
 * status 400 or 404 has given none of them.
 */
export async function answerRun(
  serving: Serving,
  { request, agent, runId, after, signals }: AskedAnswers,
): Promise<{ readonly run: ServedRun; readonly watch: RunWatch }> {
  const { run } = await serving.gate.toRun(request, 'read', runId)
  const { access } = await serving.gate.toRun(request, 'answer', runId)
  if (run.agent !== agent) throw new RunNotFoundError(runId)
  const read = signals(access, run)
  if (read.length === 0 && run.status === 'waiting') throw nothingWaits()
  if (read.length > mostAnswers) throw tooMany('The request', 'answers', mostAnswers)
  const watch = watchFrom(serving, runId, after)
  await giveAll(serving, runId, read)
  return { run, watch }
}

function nothingWaits(): RefusedRequest {
  return new RefusedRequest(409, 'SIGNAL_TOO_LATE', 'No call of the run waits for what this request answers.')
}

/** Refusals of answers to questions that are not asked any more: the call has ended, or asks something else. */
const late: readonly string[] = ['SIGNAL_TOO_LATE', 'SIGNAL_TYPE_MISMATCH']

/**
 * An answer that is sent again, because its response was lost or because a page sends all that it has, was given before. One
 * that is late is refused where no other counts; beside others it is left out, for the stream tells what has become of its call.
 */
async function giveAll({ service }: Serving, runId: string, signals: readonly RunSignal[]): Promise<void> {
  let refused: SignalError | undefined
  let given = 0
  for (const signal of signals) {
    const refusal = await refusalOf(service.signal(runId, signal))
    if (refusal === undefined || refusal.code === 'SIGNAL_ALREADY_ANSWERED') given++
    else if (late.includes(refusal.code)) refused ??= refusal
    else throw refusal
  }
  if (given === 0 && refused !== undefined) throw refused
}

/** `undefined`: the signal was taken. */
async function refusalOf(sending: Promise<void>): Promise<SignalError | undefined> {
  try {
    await sending
    return undefined
  } catch (error) {
    if (error instanceof SignalError) return error
    throw error
  }
}
