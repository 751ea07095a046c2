/**
 * The root agent of a run and its successors: each takes over the conversation in place of the agent before it, which
 * is let go of. The run treats the chain as one agent and concatenates its outputs.
 */
import { successorId } from '../../actors/actor-path.ts'
import type { AnyActorLogic, AnyActorRef } from 'xstate'
import { createChild, statusOf, takeReports } from '../../actors/xstate-internals.ts'
import { toErrorData, type ErrorData } from '../../errors.ts'
import type { AgentInput, AgentRequest, AgentReport, HandedOff } from '../../machines/contract/agent.ts'
import type { AgentOutput, AgentParts } from '../../machines/contract/records.ts'
import { continued, successorRequest } from '../../machines/shared/handoff.ts'
import { outputParts, type LoopContext } from '../../machines/loop/changes/context.ts'
import type { RunSettled } from '../journal/journal.ts'

/** The logic that runs as the root agent, with its input. */
export interface RunChild {
  readonly id: string
  readonly logic: AnyActorLogic
  readonly input: unknown
  /** Reads the output of a child that is no agent. */
  readonly outputOf?: (output: unknown) => AgentOutput
}

/** Creates an actor that lives under `parent`. */
export type CreateChild = typeof createChild

export class RootAgents {
  readonly #root: AnyActorRef
  readonly #first: RunChild
  readonly #onEnd: (output: AgentOutput) => void
  /** The output of the agents that have handed off. */
  #before: AgentParts | undefined
  #agent: AnyActorRef

  readonly #createChild: CreateChild

  constructor(
    root: AnyActorRef,
    first: RunChild,
    onEnd: (output: AgentOutput) => void,
    create: CreateChild = createChild,
  ) {
    this.#root = root
    this.#first = first
    this.#createChild = create
    this.#onEnd = onEnd
    this.#agent = this.#create(first)
  }

  /** The active agent of the chain. */
  get current(): AnyActorRef {
    return this.#agent
  }

  /** The output of the chain so far. */
  get partialOutput(): AgentParts {
    return continued(this.#before, partialOutput(this.#agent))
  }

  /** The thread of the active agent, once it is known that the agent has memory. */
  get threadId(): string | undefined {
    const { context } = this.#agent.getSnapshot() as { context?: { input?: Partial<AgentInput> } }
    const { profile, threadId } = context?.input ?? {}
    if (profile?.memory === undefined || profile.dynamic.includes('memory')) return undefined
    return threadId
  }

  #create(child: RunChild): AnyActorRef {
    const { id, logic, input, outputOf } = child
    const agent = this.#createChild(logic, this.#root, { id, input, src: 'agent' })
    // Reports bypass the root: it may have been stopped, and the run still owes an outcome.
    takeReports(this.#root, id, (report) => {
      if ('error' in report) this.#end(crashed(toErrorData(report.error, 'MACHINE_FAILED')))
      else if (outputOf !== undefined) this.#end(outputOf(report.output))
      else this.#reported(report.output as AgentReport)
    })
    return agent
  }

  #reported(report: AgentReport): void {
    if (report.outcome === 'handedOff') this.#follow(report)
    else this.#end(report)
  }

  #follow(report: HandedOff): void {
    const { handoff } = report
    this.#before = continued(this.#before, report)
    const input = successorRequest(this.#first.input as AgentRequest, handoff)
    const id = successorId(handoff.record.to, handoff.line.handoffs)
    this.#agent = this.#create({ id, logic: this.#first.logic, input })
    if (statusOf(this.#root) === 'active') this.#root.send({ type: 'run.handedOver', agent: this.#agent })
    this.#agent.start()
  }

  #end(output: AgentOutput): void {
    this.#onEnd(continued(this.#before, output))
  }
}

/** For a fault of Troupe or of a schema: the run still ends with an outcome. */
export function crashed(error: ErrorData): AgentOutput {
  return { outcome: 'failed', text: '', error, delegations: [], scores: [], steps: [], usage: {} }
}

/** With what the agents had reached by then, as far as the journal could be read. */
export function forcedOutput({ outcome, text, reason }: RunSettled, reached: AgentParts): AgentOutput {
  return { ...reached, outcome, text, ...(reason === undefined ? {} : { reason }) }
}

/** Returns the output of an agent in progress. */
function partialOutput(agent: AnyActorRef): AgentParts {
  const { context, error } = agent.getSnapshot() as { context?: LoopContext; error?: unknown }
  return context === undefined ? crashed(toErrorData(error, 'MACHINE_FAILED')) : outputParts(context)
}
