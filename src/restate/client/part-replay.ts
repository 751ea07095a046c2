/** Replays one workflow of a run from its journal, with the same machines: nothing is performed. */
import type { InspectionEvent } from 'xstate'
import { JournalMismatchError, type JournalMismatch } from '../../errors.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import { remoteAgentMachine } from '../../machines/remote-agent.ts'
import { deliverChecked, deliverTolerant } from '../../runtime/replay/deliver-journal.ts'
import { startedOf, type JournalEntry, type RunStarted } from '../../runtime/journal/journal.ts'
import { RunState } from '../../runtime/state/run-state.ts'
import type { EventLog } from '../../runtime/handle/event-log.ts'
import { hookTimeoutOf } from '../../runtime/definition/profile.ts'
import { lookUp, type AgentRegistry, type Registry } from '../../runtime/definition/registry.ts'
import type { Reporter } from '../../runtime/report.ts'
import { registryOf } from '../../runtime/agents/run-registry.ts'
import { registryHere } from '../../runtime/replay/registry-here.ts'
import { isKind, type PendingEffect } from '../../runtime/state/effects/pending-effect.ts'
import type { AgentRequest } from '../../machines/contract/agent.ts'
import { askerOf, originOf, partRequest, type Asker } from '../wire/part-request.ts'
import type { RunRequest } from '../wire/wire.ts'

/** Sees each entry of a part before and after it is delivered. */
export interface ReplayObserver {
  readonly inspect: (event: InspectionEvent) => void
  delivering(): void
  delivered(entry: JournalEntry, state: RunState): void
}

export interface PartReplayOptions {
  readonly registry: AgentRegistry
  readonly request: RunRequest
  readonly log: EventLog
  readonly inspect?: ((event: InspectionEvent) => void) | undefined
  /** In place of `inspect`. */
  readonly observer?: ReplayObserver | undefined
  readonly report?: Reporter | undefined
  /** Called with each effect whose input differs from the recorded one. Default: such an effect is a mismatch. */
  readonly onDiverged?: ((difference: JournalMismatch) => void) | undefined
}

export class PartReplay {
  readonly state: RunState
  readonly #registry: Registry
  readonly #request: RunRequest
  readonly #onDiverged: PartReplayOptions['onDiverged']
  readonly #asker: Asker
  readonly #observer: ReplayObserver | undefined
  #position = 0

  /** Throws a `ConfigurationError` when the agent is not here in the version that the run began with. */
  constructor({ registry, request, log, observer, report, onDiverged, ...options }: PartReplayOptions) {
    const { part } = request
    const { inspect = options.inspect } = observer ?? {}
    const started = startedOf([request.started])
    const own = onDiverged === undefined ? registryOf(registry, started) : registryHere(registry, started)
    this.#registry = own
    this.#onDiverged = onDiverged
    this.#request = request
    this.#observer = observer
    this.#asker = askerOf(own, request)
    this.state = new RunState({
      registry: own,
      started,
      log,
      remoteAgent: remoteAgentMachine,
      ...(part === undefined ? {} : { asSubrun: { request: part, origin: originOf(part) } }),
      ...(inspect === undefined ? {} : { inspect }),
      ...(report === undefined ? {} : { report }),
    })
    this.state.begin()
  }

  /** Milliseconds that a function or a store of the run may take. */
  get hookTimeout(): number {
    const { agent, settings } = this.#request.started
    return hookTimeoutOf(lookUp(this.#registry, agent).settings, settings)
  }

  /** `undefined`: the end of the part is not on record. */
  get output(): AgentOutput | undefined {
    return this.state.isSettled ? this.state.output : undefined
  }

  /** The number of entries that were delivered. */
  get entries(): number {
    return this.#position
  }

  /** Starts a part that is known before its journal can be read. */
  begin(): void {
    this.#deliver(this.#request.started)
  }

  /** Delivers an entry. Throws a `JournalMismatchError` for an entry that the run would not have led to. */
  tell(entry: JournalEntry): void {
    if (entry.type === 'run.started' && this.#position === 1) this.#assertSame(entry)
    else this.#deliver(entry)
  }

  #deliver(entry: JournalEntry): void {
    this.#observer?.delivering()
    if (this.#onDiverged === undefined) deliverChecked(this.state, entry, this.#position)
    else {
      const difference = deliverTolerant(this.state, entry, this.#position)
      if (difference !== undefined) this.#onDiverged(difference)
    }
    this.#position++
    this.#observer?.delivered(entry, this.state)
  }

  #assertSame({ version: recorded }: RunStarted): void {
    const actual = this.#request.started.version
    if (recorded !== actual) throw new JournalMismatchError({ entry: 0, field: 'version', recorded, actual })
  }

  /** Returns the request that starts the workflow of a subagent that is requested now. */
  requestOf(subagent: AgentRequest): RunRequest {
    return partRequest(this.#asker, subagent, this.state)
  }

  /** Returns the path of the subagent whose end an entry reports, unless that end was delivered before. */
  endOf(entry: JournalEntry): string | undefined {
    const effect = entry.type === 'effect.settled' ? this.state.effects.pending.get(entry.key) : undefined
    return effect && subagentOf(effect)?.path
  }

  /** The subagents in progress in workflows of their own. */
  subagents(): AgentRequest[] {
    return [...this.state.effects.pending.values()].flatMap((effect) => subagentOf(effect) ?? [])
  }
}

/** Returns the subagent that an effect requests. */
function subagentOf(effect: PendingEffect): AgentRequest | undefined {
  if (!isKind(effect, 'agent')) return undefined
  const { input } = effect.request
  return input.operation === 'run' ? (input.request as object as AgentRequest) : undefined
}
