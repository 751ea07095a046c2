/** The context that a performer may use besides the input of its effect. */
import type { InspectionEvent } from 'xstate'
import type { ChatModel, ModelCallOptions, ModelDelta } from '../../../actors/chat-model.ts'
import type { StartRun } from '../../../actors/tool.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import type { PriceTable } from '../../../actors/pricing.ts'
import type { Surroundings } from '../around/around.ts'
import type { Clock } from '../../clock.ts'
import type { AgentDefinition, AgentParts } from '../../definition/definition.ts'
import type { ConfigStorage } from '../../journal/config-storage.ts'
import type { Environment } from '../../environment.ts'
import type { BlobAccess } from '../../files/blob-storage.ts'
import type { MemoryStorage } from '../../journal/memory-storage.ts'
import type { SupervisorOptions } from '../../options/options.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { Edit } from '../../program/recorded.ts'
import type { CalledModel } from '../../../errors.ts'
import type { Deed } from './deed.ts'
import type { SpokenSoFar } from './spoken-so-far.ts'

/** The runs that one attempt of a call begins. */
export interface NestedRunsOfCall {
  readonly start: StartRun
  /** The attempt is over. `hasReturned`: the call has its result, and no other attempt follows. */
  over(hasReturned: boolean): void
}

/** What a fork has of the runs that it descends from. */
export interface Inherited {
  /** Whether the fork keeps all it adds to itself. */
  readonly isApart: boolean
  /** The note on its resource, as its journal has it; absent: no agent has asked for it yet. */
  readonly note: { readonly text: string | null | undefined } | undefined
  /** The thread that the agents of the fork name so. */
  threadNamed(name: string): string
  /** As `threadNamed`; begins a thread of the fork's own where it is not there yet. */
  branch(memory: MemoryStorage, name: string): Promise<string>
}

export interface PerformContext {
  readonly runId: string
  /** The user or entity that the run works for. */
  readonly resourceId: string | undefined
  /** The conversation that the run belongs to. */
  readonly conversationId: string | undefined
  /** Logical time. Milliseconds since 1970. */
  readonly at: number
  readonly environment: Environment
  /** The clock for deadlines of parts of an effect. */
  readonly clock: Clock
  readonly memory: MemoryStorage
  /** Of a fork: what it has of the runs before it. Absent: the run is none. */
  readonly descent?: Inherited | undefined
  /** `undefined`: files with bytes cannot be kept. */
  readonly blobs: BlobAccess | undefined
  readonly config: ConfigStorage | undefined
  /** Stable over attempts. */
  readonly idempotencyKey: string
  /** Fires when the machine lets the effect go with `abort`. */
  readonly signal: AbortSignal
  /** The prices of tokens, if configured. */
  readonly prices: PriceTable | undefined
  /** Takes streamed deltas; absent when the run does not stream. */
  readonly onDelta: ((delta: ModelDelta) => void) | undefined
  /** The text so far of the agent's last model call; absent: this performer keeps none. */
  readonly spoken?: SpokenSoFar | undefined
  /** Takes the progress of a tool; absent for other effects. */
  readonly onProgress: ((value: JsonValue) => void) | undefined
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  /** The context that the caller gave to the functions and tools of all agents. */
  readonly runContext: JsonValue | undefined
  /** The runs that the call of a tool begins; `undefined`: it can begin none here. */
  nestedRuns(): NestedRunsOfCall | undefined
  /** The wrappers around the effect; absent: none. */
  readonly around?: Surroundings | undefined
  /** The options of a call of a model. Wrappers of the effect are told of the call, where it has some. */
  observed(model: ChatModel, options: ModelCallOptions): ModelCallOptions
  /** Notes the model of the call, for its outcome on record. `undefined`: its agent has one model. */
  calls(called: CalledModel | undefined): void
  /** Reports an exception of the user's code, unless it follows from an abort. `name`: of a part of the function. */
  failed(thrown: unknown, name?: string): void
  /** Functions of the run make an agent otherwise than the journal says: the run goes on, and its journal tells it. */
  madeOtherwise(agent: string, edits: readonly Edit[], digest: string): void
  /** Reports what a function of the user did beside its answer, also after its effect is over. */
  misused(deed: Deed, thrown: unknown): void
  /** Reports that the tool is called now, and is no longer prepared. */
  begun(): void
  definition(agentId: string): AgentDefinition
  /** The parts of an agent as its functions make them for this run. */
  parts(agentId: string): Promise<AgentParts>
  /** The options that the caller gave to the run, for an effect of the agent that it began with; absent: one below. */
  readonly given?: RunSettings | undefined
  /** The options that hold the user's functions. */
  options(scope: 'agent' | 'run', agentId: string): SupervisorOptions
  /** Logical milliseconds since a delegation started. */
  elapsed(delegationId: string): number
}
