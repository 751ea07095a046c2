/** The runs that the calls of tools and workflows begin, in one troupe. */
import type { AnyActorRef } from 'xstate'
import { executionOf } from '../../actors/workflow.ts'
import type { Prompt } from '../../actors/message.ts'
import type { StartRun } from '../../actors/tool.ts'
import type { AnyAgent } from '../definition/definition.ts'
import type { NestingCall } from '../engine/effects/perform.ts'
import type { NestedRunsOfCall } from '../engine/perform/context.ts'
import { NestedRun, type NestedOptions, type NestingHost } from './nested-run.ts'
import { OuterCall } from './outer-call.ts'

/** By the function that a call is given, its runs: a workflow hands the function on to the actors in it. */
const callOf = new WeakMap<StartRun, RunsOfCall>()

/** The runs of one attempt of a call. */
export class RunsOfCall implements NestedRunsOfCall {
  readonly #host: NestingHost
  readonly #call: OuterCall
  readonly #open = new Set<NestedRun>()

  constructor(host: NestingHost, call: NestingCall) {
    this.#host = host
    this.#call = new OuterCall(call)
    callOf.set(this.start, this)
  }

  readonly start: StartRun = async (agent, prompt, ...[options]) => {
    const run = this.begin(this.#host, agent as object as AnyAgent, prompt, options ?? {})
    return (await run.end()) as never
  }

  /** A run in the troupe `host`. Throws as `NestedRun` does. */
  begin(host: NestingHost, agent: AnyAgent, prompt: Prompt, options: NestedOptions): Followed {
    const run = new NestedRun({ host, isOwn: host === this.#host, call: this.#call }, agent, prompt, options)
    return {
      run,
      end: async (onEvent) => {
        this.#open.add(run)
        try {
          return await run.end(onEvent)
        } finally {
          this.#open.delete(run)
        }
      },
    }
  }

  over(hasReturned: boolean): void {
    if (!hasReturned) return // the next attempt finds them again
    for (const run of this.#open)
      run.cancelWithCall('The call that began the run has ended without waiting for it.')
  }
}

/** A run within a call, to be followed to its end. */
export interface Followed {
  readonly run: NestedRun
  end: NestedRun['end']
}

/** The runs of the call whose workflow this actor is a part of; `undefined`: it is a part of none. */
export function runsAround(actor: AnyActorRef): RunsOfCall | undefined {
  const start = executionOf(actor)?.start
  return start === undefined ? undefined : callOf.get(start)
}
