/** Actors of hosted logic within a workflow: each follows a nested run of the call, which has an id of its own. */
import type { AnyActorRef, AnyEventObject } from 'xstate'
import type { Prompt } from '../../actors/message.ts'
import { statusOf } from '../../actors/xstate-internals.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { RunSignal } from '../handle/run.ts'
import type { NestingHost } from '../nested/nested-run.ts'
import { runsAround, type Followed, type RunsOfCall } from '../nested/nested-runs.ts'
import type { HostedSnapshot, RunOfSnapshot, RunsOfActors } from './hosted.ts'
import { stopReason } from './reclaim-run.ts'

export class NestedActors implements RunsOfActors {
  readonly #host: NestingHost
  readonly #agent: AgentDefinition
  /** The runs of all other actors. */
  readonly #others: RunsOfActors
  readonly #followed = new WeakMap<AnyActorRef, Followed>()

  constructor(host: NestingHost, agent: AgentDefinition, others: RunsOfActors) {
    this.#host = host
    this.#agent = agent
    this.#others = others
  }

  create(self: AnyActorRef, prompt: Prompt, options: object): RunOfSnapshot {
    const call = runsAround(self)
    return call === undefined
      ? this.#others.create(self, prompt, options)
      : this.#begin(self, call, prompt, options)
  }

  #begin(self: AnyActorRef, call: RunsOfCall, prompt: Prompt, options: object): RunOfSnapshot {
    const followed = call.begin(this.#host, this.#agent, prompt, options)
    this.#followed.set(self, followed)
    const { spec, id: runId } = followed.run
    return { runId, children: {}, beginning: spec.started, awaiting: [] }
  }

  start(self: AnyActorRef, snapshot: HostedSnapshot): void {
    const followed = this.#followed.get(self)
    if (followed === undefined) return this.#others.start(self, snapshot)
    followed
      .end((event) => tell(self, { type: 'run.event', event }))
      .then(
        (result) => tell(self, { type: 'run.ended', result }),
        (error: unknown) => tell(self, { type: 'run.failed', error }),
      )
  }

  signal(self: AnyActorRef, signal: RunSignal): void {
    const followed = this.#followed.get(self)
    if (followed === undefined) return this.#others.signal(self, signal)
    this.#host
      .tell(followed.run.id, () => signal)
      .catch((error: unknown) => tell(self, { type: 'signal.refused', signal, error }))
  }

  /** The abort of the call stops the whole workflow, and decides what becomes of its runs. */
  stop(self: AnyActorRef): void {
    const followed = this.#followed.get(self)
    if (followed === undefined) return this.#others.stop(self)
    if (!followed.run.isLetGo) followed.run.cancel(stopReason)
  }

  childrenOf(self: AnyActorRef): HostedSnapshot['children'] {
    return this.#followed.has(self) ? {} : this.#others.childrenOf(self)
  }
}

function tell(self: AnyActorRef, event: AnyEventObject): void {
  if (statusOf(self) === 'active') self.send(event)
}
