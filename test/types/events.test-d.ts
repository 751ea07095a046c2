/** What the events of a run carry, told apart by `type`. */
import type {
  AwaitedSignal,
  DelegationOutcome,
  ErrorData,
  EventPayloads,
  EventType,
  FinishReason,
  JsonValue,
  Outcome,
  Run,
  RunEvent,
} from 'troupe'
import { expectType } from './expect-type.ts'

export function narrowing(event: RunEvent): void {
  expectType<EventType>()(event.type)
  expectType<string>()(event.runId)
  expectType<string>()(event.agent)
  expectType<string>()(event.path)
  expectType<number>()(event.at)
  expectType<number | undefined>()(event.seq)
  expectType<string | undefined>()(event.delegationId)
  expectType<string | undefined>()(event.messageId)
  expectType<true | undefined>()(event.final)
  // @ts-expect-error before the type is known, nothing is known of the payload
  void event.payload.text
  // @ts-expect-error events are read only
  event.seq = 1
  // @ts-expect-error there is no such event
  if (event.type === 'delegation-ended') return

  switch (event.type) {
    case 'text-delta':
      expectType<string>()(event.payload.text)
      // @ts-expect-error a delta is text alone
      void event.payload.outcome
      return
    case 'tool-call':
      expectType<string>()(event.payload.toolCallId)
      expectType<JsonValue>()(event.payload.args)
      return
    case 'tool-error':
      expectType<'failed' | 'denied' | 'cancelled'>()(event.payload.outcome)
      return
    case 'delegation-end':
      expectType<DelegationOutcome>()(event.payload.outcome)
      expectType<ErrorData | undefined>()(event.payload.error)
      // @ts-expect-error payloads are read only
      event.payload.text = ''
      return
    case 'step-finish':
      expectType<FinishReason | 'error' | 'aborted'>()(event.payload.finishReason)
      return
    case 'suspended':
      expectType<readonly AwaitedSignal[]>()(event.payload.awaiting)
      return
    case 'run-finish':
      expectType<EventPayloads['run-finish']>()(event.payload)
      expectType<Outcome>()(event.payload.outcome)
      return
    default:
  }
}

export async function reading(run: Run): Promise<void> {
  for await (const event of run.events) expectType<RunEvent>()(event)
}
