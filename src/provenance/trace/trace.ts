/** Reads the events of a run, in their order, and records the derivations among them. */
import { ConfigurationError, type RunEvent } from '../../index.ts'
import { agentPath, asksAboutPlan, below } from '../../kit/index.ts'
import { answerCall, answerDelegation, answerPlan, Messages } from './answers.ts'
import { beginDelegation, endDelegation, rejectDelegation } from './delegations.ts'
import { recordFanIn, recordFanOut, recordSynthesis } from './fan-outs.ts'
import { handOn } from './handoffs.ts'
import {
  closeStep,
  finishStep,
  openStep,
  recordCritique,
  recordFeedback,
  recordRecalled,
  recordScore,
} from './iterations.ts'
import type { Ledger } from './ledger.ts'
import { recordPlan, recordStepEnd } from './plans.ts'
import { recordPattern, recordRouting } from './routing.ts'
import type { Moment, Session, ToolCall } from './session.ts'
import { beginSession, endSession } from './sessions.ts'
import { beginCall, closeCall, endCall, recordToolState } from './tool-calls.ts'

export class Trace {
  readonly #ledger: Ledger
  /** By the paths of their agents. */
  readonly #sessions = new Map<string, Session>()
  /** By their ids, which are the paths of their actors; one that was not carried out has no actor. */
  readonly calls = new Map<string, ToolCall>()
  readonly #inBackground = new Set<string>()
  readonly #messages: Messages
  #last: Moment = { at: 0, seq: 0 }
  root: Session | undefined
  answer: string | undefined

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#messages = new Messages(ledger)
  }

  /** The last event that was read. */
  get last(): Moment {
    return this.#last
  }

  read(event: RunEvent): void {
    const moment = { at: event.at, seq: event.seq ?? this.#last.seq }
    this.#last = moment
    const ledger = this.#ledger
    if (event.type === 'run-start') {
      const { runId, path, agent, conversationId, payload } = event
      ledger.takeConversation(conversationId)
      ledger.takeVersions(agent, payload)
      this.root = beginSession(ledger, { runId, path, agent, question: payload.task, causes: [] }, moment)
      this.#sessions.set(path, this.root)
      return
    }
    const session = this.#sessionOf(event)
    switch (event.type) {
      case 'run-finish': {
        const { outcome, usage } = event.payload
        const ending = { ...event.payload, hasBailed: outcome === 'bailed' }
        this.answer = endSession(ledger, session.lastOfLine, ending, moment)
        ledger
          .about(session, session.uri)
          .number('tg:inToken', usage.inputTokens)
          .number('tg:outToken', usage.outputTokens)
          .number('troupe:cost', usage.cost)
        return
      }
      case 'handoff': {
        const successor = handOn(ledger, session, event, moment)
        this.#sessions.set(successor.path, successor)
        return
      }
      case 'recalled':
        return recordRecalled(ledger, session, event.payload, moment)
      case 'step-start':
        return openStep(ledger, session, event.payload, moment)
      case 'step-finish':
        return finishStep(ledger, session, event.payload, moment)
      case 'reasoning-end':
      case 'text-end': {
        if (event.payload.status !== 'complete') return
        session.spoke(moment.at)
        if (session.step === undefined) return // the text of a final turn, which is the answer
        session.step[event.type === 'text-end' ? 'text' : 'thought'] = event.payload.text
        return
      }
      case 'error':
        if (event.payload.willRetry && session.step !== undefined) session.step.failedAttempts++
        return
      case 'pattern-selected':
        return recordPattern(ledger, session, event.payload, moment)
      case 'routing-decision':
        return recordRouting(ledger, session, event.payload, moment)
      case 'tool-call': {
        const { toolCallId } = event.payload
        if (this.calls.has(toolCallId)) return
        const isBackground = this.#inBackground.has(toolCallId)
        this.calls.set(toolCallId, beginCall(ledger, session, event, moment, isBackground))
        return
      }
      case 'tool-call-approval': {
        const call = this.calls.get(event.path)
        if (call !== undefined) call.needsApproval = true
        return
      }
      case 'tool-call-answered': {
        const call = this.calls.get(event.path)
        if (asksAboutPlan(event.payload.toolCallId)) answerPlan(ledger, session, event, moment)
        else if (call === undefined) answerDelegation(ledger, session, event, moment)
        else answerCall(ledger, call, event, moment)
        return
      }
      case 'tool-result':
      case 'tool-error': {
        const call = this.calls.get(event.payload.toolCallId)
        if (call !== undefined) endCall(ledger, call, event, moment)
        return
      }
      case 'said':
        return this.#messages.taken(event.payload, moment)
      case 'heard':
        return this.#messages.heard(session, event.payload, moment)
      case 'tool-state':
        return recordToolState(ledger, this.calls.get(event.payload.toolCallId), event.payload)
      case 'background-start':
        this.#inBackground.add(event.payload.taskId)
        return
      case 'delegation-start': {
        const isBackground = this.#inBackground.has(event.path)
        const child = beginDelegation(ledger, session, event, moment, isBackground)
        this.#sessions.set(child.path, child)
        return
      }
      case 'delegation-end': {
        const child = this.#sessions.get(below(event.path, event.payload.agentId))
        return endDelegation(ledger, session, child?.lastOfLine, event, moment)
      }
      case 'delegation-feedback':
        session.delegationFeedback.set(event.path, event.payload.message)
        return
      case 'delegation-rejected':
        return rejectDelegation(ledger, session, event, moment)
      case 'delegation-bail':
        session.bail = session.conclusions.get(event.path)?.completion
        return
      case 'fan-out':
        return recordFanOut(ledger, session, event.payload, moment)
      case 'fan-in':
        return recordFanIn(ledger, session, event, moment)
      case 'synthesis-start':
        return recordSynthesis(ledger, session, event.payload, moment)
      case 'plan-created':
      case 'plan-revised':
        return recordPlan(ledger, session, event, moment)
      case 'plan-step-end':
        return recordStepEnd(ledger, session, event.payload, this.calls, moment)
      case 'critique':
        return recordCritique(ledger, session, event.payload, moment)
      case 'scorer-result':
        return recordScore(ledger, session, event.payload, moment)
      case 'iteration-feedback':
        return recordFeedback(ledger, session, event.payload, moment)
      default: // other events make no entity that another one derives from
    }
  }

  /** Records open iterations and calls as they are. */
  close(): void {
    for (const session of this.#sessions.values()) closeStep(this.#ledger, session, this.#last.at)
    for (const call of this.calls.values()) closeCall(this.#ledger, call)
  }

  #sessionOf({ path, type }: RunEvent): Session {
    const session = this.#sessions.get(agentPath(path))
    if (session !== undefined) return session
    throw new ConfigurationError(
      `provenance: the events must be all of a run, from its first one on: "${type}" is of "${path}", which has not begun.`,
    )
  }
}
