/** What a run ends with, told apart by `outcome`, and what its handle and its journal give. */
import {
  createSupervisor,
  createTroupe,
  openai,
  type AwaitedSignal,
  type DelegationResult,
  type ErrorCode,
  type ErrorData,
  type ExhaustedReason,
  type FinalResult,
  type HandoffRecord,
  type JournalEntry,
  type RunError,
  type RunResult,
  type ScoringRecord,
  type StepRecord,
  type StoppedReason,
  type SuspendedResult,
  type Usage,
} from 'troupe'
import type { EventObject, Snapshot } from 'xstate'
import { expectType } from './expect-type.ts'

const lead = createSupervisor({ id: 'lead', instructions: '', model: openai('gpt-5-mini') })

export function narrowing(result: RunResult): string {
  expectType<string>()(result.runId)
  expectType<string>()(result.text)
  expectType<readonly DelegationResult[]>()(result.delegations)
  expectType<readonly ScoringRecord[]>()(result.scores)
  expectType<readonly StepRecord[]>()(result.steps)
  expectType<readonly RunError[]>()(result.errors)
  expectType<ErrorCode | undefined>()(result.errors.at(0)?.error.code)
  expectType<number>()(result.usage.totalTokens)
  expectType<Usage | undefined>()(Object.values(result.usage.byAgent).at(0))
  // @ts-expect-error before the outcome is known, nothing is known of the rest
  void result.error
  // @ts-expect-error nor of what a completed run gave
  void result.object
  // @ts-expect-error results are read only
  result.text = ''
  // @ts-expect-error there is no such outcome
  if (result.outcome === 'done') return ''

  switch (result.outcome) {
    case 'completed':
      expectType<unknown>()(result.object)
      // @ts-expect-error a completed run has no error
      void result.error
      return 'completed'
    case 'bailed':
      expectType<string>()(result.by)
      expectType<ErrorData | undefined>()(result.error)
      // @ts-expect-error only a completed run has an object
      void result.object
      return result.by
    case 'failed':
      expectType<ErrorData>()(result.error)
      expectType<ErrorCode>()(result.error.code)
      // @ts-expect-error a failure is told by its error
      void result.reason
      return result.error.message
    case 'exhausted':
      expectType<ExhaustedReason>()(result.reason)
      return result.reason === 'budget' ? 'spent' : result.reason
    case 'stopped':
      expectType<StoppedReason>()(result.reason)
      return result.reason
    case 'tripped':
    case 'cancelled':
      expectType<string>()(result.reason)
      expectType<string | undefined>()(result.by)
      expectType<readonly HandoffRecord[] | undefined>()(result.handoffs)
      return result.reason
    case 'suspended':
      expectType<SuspendedResult>()(result)
      expectType<readonly AwaitedSignal[]>()(result.awaiting)
      expectType<'approval' | 'suspension' | 'interruption' | undefined>()(result.awaiting.at(0)?.type)
      // @ts-expect-error it has not ended
      void result.reason
      return result.awaiting.map(({ toolCallId }) => toolCallId).join()
    default:
      expectType<never>()(result)
      return result
  }
}

export async function handles(): Promise<void> {
  const troupe = createTroupe({ agents: [lead] })
  const run = await troupe.start(lead, 'Go')
  expectType<Promise<FinalResult<undefined>>>()(run.result)
  expectType<Promise<RunResult<undefined>>>()(run.whenIdle)
  expectType<RunResult<undefined>>()(await lead.generate('Go'))
  expectType<FinalResult<undefined>>()(await lead.stream('Go').result)
  // @ts-expect-error a final result is never suspended
  if ((await run.result).outcome === 'suspended') return
  for await (const text of run.textStream) expectType<string>()(text)

  await run.approve('id')
  await run.deny('id', 'not today')
  await run.resume('id', { answer: [1, null] })
  await run.cancel('enough')
  // @ts-expect-error it says which call
  await run.approve()
  // @ts-expect-error what a call goes on with is JSON
  await run.resume('id', { at: new Date() })
  // @ts-expect-error the handle is read only
  run.id = 'other'

  expectType<string>()(run.actor.id)
  const snapshot = run.actor.getSnapshot()
  expectType<Snapshot<unknown>['status']>()(snapshot.status)
  for (const child of Object.values(snapshot.children)) expectType<Snapshot<unknown>>()(child.getSnapshot())
  run.actor.send({ type: 'cancel', cause: 'cancel' })
  // @ts-expect-error there is no such event
  run.actor.send({ type: 'pause' })
  run.actor.subscribe((next) => expectType<unknown>()(next.children['lead']?.getSnapshot().output))
  const sent: EventObject = { type: 'anything' }
  snapshot.children['lead']?.send(sent)

  expectType<readonly JournalEntry[]>()(await troupe.journal(run.id))
  for (const entry of await troupe.journal(run.id)) {
    if (entry.type === 'run.started') expectType<string>()(entry.task)
    // @ts-expect-error there is no such entry
    if (entry.type === 'run.ended') return
  }
  const replay = await troupe.replay(run.id)
  expectType<FinalResult | undefined>()(replay.result)
  // @ts-expect-error a replay performs nothing, so that nothing can be approved
  void replay.approve
}

// The documented values complete, and a value of one's own is still a text.
type Documented<Union> = Union extends string ? (string extends Union ? never : Union) : never
const code: 'RATE_LIMITED' extends Documented<ErrorCode> ? true : false = true
const reason: 'maxSteps' extends Documented<ExhaustedReason> ? true : false = true
void [code, reason]
export const own: ErrorCode = 'OWN'
