/** A run under control, and the making of a choice in it: nothing else lets anything happen. */
import type { Clock } from '../../../runtime/clock.ts'
import type { EngineOptions } from '../../../runtime/engine/engine-options.ts'
import type { Engine } from '../../../runtime/engine/engine.ts'
import type { RunState } from '../../../runtime/state/run-state.ts'
import { isKind } from '../../../runtime/state/effects/pending-effect.ts'
import type { Choice, SentEvent } from './choice.ts'
import type { HeldEffect } from './held-effect.ts'
import type { Subject } from './subject.ts'
import type { ThreadsOfRun } from './threads.ts'

export interface ControlledRun {
  readonly engine: Engine
  /** That of the engine. */
  readonly state: RunState
  /** Performed and unsettled effects, by key. */
  readonly held: Map<string, HeldEffect>
  /** Keys of questions that no person ever answers. */
  readonly ignored: Set<string>
  /** Ids of delegations that were cancelled. */
  readonly cancelled: Set<string>
  readonly sent: SentEvent[]
  /** How many messages of a person were sent. */
  said: number
  readonly threads: ThreadsOfRun
  /** How many processes have ended. */
  readonly crashes: number
}

/** No timer fires by itself, and no deadline passes. */
const stillClock: Clock = { now: () => 0, after: () => () => undefined }

/** The options of the engine that drives it. */
export function engineOptions({ functions }: Subject): Omit<EngineOptions, 'committer'> {
  return {
    functions,
    clock: stillClock,
    environment: { clock: stillClock, newId: () => 'explored' },
  }
}

/** A crash is made by the run itself: another engine goes on. */
export function makeChoice(run: ControlledRun, choice: Exclude<Choice, { type: 'crash' }>): void {
  const { engine, state } = run
  switch (choice.type) {
    case 'settle':
      settle(run, choice)
      break
    case 'timeOut':
      engine.effects.expire(choice.key)
      break
    case 'answer':
      engine.signal({ type: 'answer', key: choice.key, id: choice.id, answer: choice.answer })
      break
    case 'say':
      run.said += 1
      engine.signal({ type: 'say', id: `say:${run.said}`, message: choice.message })
      break
    case 'ignore':
      run.ignored.add(choice.key)
      break
    case 'fire':
      state.effects.pending.get(choice.key)?.ring?.()
      break
    case 'expire':
      engine.ringWallClock()
      break
    case 'cancel':
      engine.signal({ type: 'cancel', reason: 'explored' })
      break
    case 'cancelDelegation':
      state.signals.claimCancel(choice.id)
      run.cancelled.add(choice.id)
      engine.signal({ type: 'cancel', reason: 'explored', delegationId: choice.id })
      break
    case 'event':
      run.sent.push({ after: state.delivered, choice })
      state.agent.send(choice.event)
      engine.turnEnded()
      break
  }
}

function settle(
  { held, threads }: ControlledRun,
  { key, settlement }: Extract<Choice, { type: 'settle' }>,
): void {
  const open = held.get(key)
  if (open === undefined) throw new Error(`The run has no open effect "${key}".`)
  held.delete(key)
  if (isKind(open.effect, 'memory')) threads.performed(open.effect.request.input, settlement)
  open.settle(settlement)
}
