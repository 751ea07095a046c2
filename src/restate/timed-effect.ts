/** An effect within a durable step: performed up to its deadline, by the clock of the machine that it runs on. */
import type { EffectOutcome } from '../actors/effect-kinds.ts'
import type { EffectRequest, Settlement } from '../actors/effect.ts'
import { timeoutError, timeoutOf } from '../actors/timeouts.ts'
import { toErrorData } from '../errors.ts'
import type { PerformContext } from '../runtime/perform/context.ts'
import { errorCodes, perform, type PerformedKind } from '../runtime/perform/index.ts'
import type { Ticket } from '../runtime/ticket.ts'

type Outcome = EffectOutcome<PerformedKind>

export interface Timed {
  readonly settlement: Settlement
  /** Of an effect whose deadline has passed: what it gives all the same. */
  readonly late?: Promise<Settlement>
}

export async function settledInTime(
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
  ticket: Ticket,
): Promise<Timed> {
  const timeout = timeoutOf(request)
  const { clock } = context
  const startedAt = clock.now()
  const settled = settlementOf(request, context)
  if (timeout === undefined) return { settlement: await settled }
  const due = startedAt + timeout
  const passed = Promise.withResolvers<undefined>()
  const callOff = clock.after(due - clock.now(), () => passed.resolve(undefined))
  const settlement = await Promise.race([settled, passed.promise])
  callOff()
  if (settlement !== undefined && clock.now() < due) return { settlement }
  ticket.signalTimeout()
  return { settlement: { error: timeoutError(request) }, late: settled }
}

async function settlementOf(
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
): Promise<Settlement> {
  try {
    const value: Outcome = await perform(request, context)
    return { value }
  } catch (thrown) {
    return { error: toErrorData(thrown, errorCodes[request.kind]) }
  }
}
