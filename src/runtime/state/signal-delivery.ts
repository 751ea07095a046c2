/** Delivers signals to their actors, and ends the waits that they resolve. */
import type { AnyActorRef } from 'xstate'
import { type TraceContext, traceIn } from '../../actors/strict/trace-context.ts'
import { statusOf } from '../../actors/xstate-internals.ts'
import type { EventPayloads } from '../../machines/contract/events.ts'
import type { WantedEffects } from './effects/wanted-effects.ts'
import type { RemoteAgents } from './remote-agents.ts'
import type { Signal } from '../journal/journal.ts'
import type { OpenSignals } from './signals/open-signals.ts'
import type { TakenSayings } from './signals/taken-sayings.ts'
import type { StandingDecisions } from './signals/standing-decisions.ts'
import { actorAt } from '../actor-source.ts'
import type { Suspension } from './suspension.ts'
import { deliveredAnswer } from './signals/signal-answer.ts'
import { isKind } from './effects/pending-effect.ts'

interface Receiver {
  readonly signals: OpenSignals
  readonly standing: StandingDecisions
  readonly sayings: TakenSayings
  readonly effects: WantedEffects
  readonly suspension: Suspension
  readonly remoteAgents: RemoteAgents
  /** The root agent, or its successor after a handoff. */
  readonly agent: AnyActorRef
  readonly hasEnded: boolean
  trace: TraceContext | undefined
  /** The time of the run is up. */
  spentElsewhere(spent: Spent): void
}

type Cancel = Extract<Signal, { readonly type: 'cancel' }>
type Spent = Extract<Signal, { readonly type: 'spent' }>
type Notice = Extract<Signal, { readonly type: 'held' | 'released' }>

export class SignalDelivery {
  readonly #run: Receiver
  /** The id of the message that is being delivered. */
  #saying: string | undefined

  constructor(run: Receiver) {
    this.#run = run
  }

  deliver(signal: Signal): void {
    switch (signal.type) {
      case 'held':
      case 'released':
        this.#hear(signal)
        break
      case 'cancel':
        if (signal.delegationId === undefined) this.#cancel(signal)
        else this.#cancelDelegation(signal.delegationId, signal)
        break
      case 'answer':
        this.#answer(signal)
        break
      case 'say':
        this.#say(signal)
        break
      case 'spent':
        if (!this.#run.hasEnded) this.#run.spentElsewhere(signal)
        break
      case 'trace':
        this.#run.trace = traceIn(signal)
        break
    }
  }

  /** A deadline that passes ends a wait as an answer does. */
  timerFired(key: string): void {
    const { effects } = this.#run
    const effect = effects.pending.get(key)
    if (effect !== undefined) this.#resumed({ toolCallId: effect.source.path })
    effects.deliver(key, { value: null })
  }

  #hear(notice: Notice): void {
    const { remoteAgents, agent, effects } = this.#run
    const stand = remoteAgents.standInOf(notice, agent)
    if (stand === undefined) return
    if (notice.type === 'released') this.#resumed(notice.by)
    stand.send({ type: `agent.${notice.type}` })
    remoteAgents.heard(notice, stand, effects.pending)
  }

  #cancel(cancel: Cancel): void {
    const { signals, suspension, agent, hasEnded } = this.#run
    signals.close()
    suspension.cancelled()
    if (!hasEnded) agent.send(eventOf(cancel))
  }

  /** The delegation may have ended by an earlier entry. */
  #cancelDelegation(delegationId: string, cancel: Cancel): void {
    const { signals, agent } = this.#run
    signals.cancelled(delegationId)
    const delegation = actorAt(agent, delegationId)
    if (delegation === undefined || statusOf(delegation) !== 'active') return
    this.#resumed({ delegationId })
    delegation.send(eventOf(cancel))
  }

  #answer(signal: Extract<Signal, { readonly type: 'answer' }>): void {
    const { key, id, answer, always } = signal
    const { signals, effects, standing } = this.#run
    const effect = effects.pending.get(key)
    if (effect === undefined || !isKind(effect, 'signal')) return
    signals.settled(effect.key, effect.request.input)
    if (always === true) standing.given(effect.request.input, answer)
    this.#resumed({ toolCallId: id })
    effects.deliver(key, { value: deliveredAnswer(signal) })
  }

  /** The chart takes or refuses the message, and says so by an event. */
  #say({ type: _type, ...saying }: Extract<Signal, { readonly type: 'say' }>): void {
    const { agent, hasEnded, sayings, signals } = this.#run
    signals.said(saying.id)
    if (sayings.has(saying.id)) return // a sender has repeated it
    this.#saying = saying.id
    if (!hasEnded) agent.send({ type: 'say', saying })
    this.#saying = undefined
    sayings.delivered(saying.id, hasEnded)
  }

  /** The agent is not held any more. A message of a person may have roused it. */
  released(): void {
    if (this.#saying !== undefined) this.#resumed({ sayId: this.#saying })
  }

  #resumed(by: EventPayloads['resumed']): void {
    this.#run.remoteAgents.resumed(by)
    this.#run.suspension.resumed(by)
  }
}

function eventOf({ reason, cause = 'cancel' }: Cancel) {
  return { type: 'cancel', cause, ...(reason === undefined ? {} : { reason }) } as const
}
