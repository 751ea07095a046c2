/** A troupe: agents, a store for their journals, and the runs that are under way. */
import { nanoid } from 'nanoid'
import type { InspectionEvent } from 'xstate'
import type { InferOutput, Schema } from '../actors/schema.ts'
import type { Prompt } from '../actors/message.ts'
import { ConfigurationError, RunNotFoundError } from '../errors.ts'
import { systemClock, type Clock } from './clock.ts'
import { Committer } from './committer.ts'
import type { AgentDefinition, Shaped } from './definition.ts'
import { embeddedRun } from './embedded-run.ts'
import { protocolVersion, type JournalEntry, type RunStarted } from './journal.ts'
import { assertRemembers } from './memory-options.ts'
import type { MemoryStorage } from './memory-storage.ts'
import { memoryStore } from './memory-store.ts'
import type { CallOptions, SupervisorOptions } from './options.ts'
import { profileOf } from './profile.ts'
import { taskOf } from './prompt.ts'
import { createRegistry, lookUp, type Registry } from './registry.ts'
import { replayJournal, type Replay } from './replay.ts'
import type { RunResult } from './result.ts'
import type { Run } from './run.ts'
import type { Store } from './store.ts'
import { settingsOf } from './settings.ts'
import { validateOptions } from './validate-options.ts'

export interface TroupeConfig {
  /** The agents that runs may start with; their subagents come along. */
  readonly agents: readonly AgentDefinition[]
  /** Default: in memory. */
  readonly store?: Store
  /** Watches every actor of every run, as XState's own `inspect` does. What it throws is logged. */
  readonly inspect?: (event: InspectionEvent) => void
  /** Default: the machine's. */
  readonly clock?: Clock
}

export interface Troupe {
  /**
   * Starts a run and gives its handle.
   * Throws a `ConfigurationError` for an empty prompt, an unknown agent or a wrong option.
   */
  start<Options extends object, Given extends Schema>(
    agent: AgentDefinition<Options>,
    prompt: Prompt,
    options: Options & CallOptions & Shaped<Given>,
  ): Promise<Run<InferOutput<Given>>>
  start<Options extends object, Object>(
    agent: AgentDefinition<Options, Object>,
    prompt: Prompt,
    options?: Options & CallOptions,
  ): Promise<Run<Object>>
  /**
   * Replays a run from its journal alone: no effect is performed.
   * Rejects with a `JournalMismatchError` when agents or machines have changed, and a `RunNotFoundError`.
   */
  replay(runId: string, options?: { readonly inspect?: (event: InspectionEvent) => void }): Promise<Replay>
  /** The entries of a run's journal. Rejects with a `RunNotFoundError`. */
  journal(runId: string): Promise<readonly JournalEntry[]>
  /** Threads and working memory, as the troupe's store keeps them: to show, to fill and to delete. */
  readonly memory: MemoryStorage
  /** Ids of all runs in the store, oldest first. */
  runs(): Promise<readonly string[]>
}

/**
 * Puts agents on a store.
 * Throws a `ConfigurationError` when two different agents share an id.
 */
export function createTroupe(config: TroupeConfig): Troupe {
  if (!Array.isArray(config?.agents) || config.agents.length === 0) {
    throw new ConfigurationError('createTroupe: agents must hold at least one agent.')
  }
  const core = createCore(config)
  return {
    async start(agent: AgentDefinition, prompt: Prompt, options: object = {}) {
      return core.start(agent, prompt, options, true)
    },
    async replay(runId, options = {}) {
      return replayJournal(core.registry, await core.journal(runId), options.inspect)
    },
    memory: core.store.memory,
    journal: (runId) => core.journal(runId),
    runs: async () => (await core.store.list()).map((run) => run.runId),
  }
}

interface Core {
  readonly registry: Registry
  readonly store: Store
  start(agent: AgentDefinition, prompt: Prompt, options: object, stream: boolean): Run
  journal(runId: string): Promise<readonly JournalEntry[]>
}

function createCore({ agents, store = memoryStore(), clock = systemClock, inspect }: TroupeConfig): Core {
  const registry = createRegistry(agents)
  const committer = new Committer(store)
  return {
    registry,
    store,
    start(agent, prompt, options, stream) {
      if (lookUp(registry, agent?.id) !== agent) {
        throw new ConfigurationError(`This troupe has another agent with the id "${agent.id}".`)
      }
      const { signal, started, functions } = begin(agent, prompt, options, stream, clock)
      const { run, start } = embeddedRun(
        {
          registry,
          committer,
          clock,
          memory: store.memory,
          started,
          functions,
          ...(inspect === undefined ? {} : { inspect }),
        },
        signal,
      )
      start()
      return run
    },
    async journal(runId) {
      const journal = await store.read(runId)
      if (journal === undefined) throw new RunNotFoundError(runId)
      return journal
    },
  }
}

function begin(agent: AgentDefinition, prompt: Prompt, options: object, stream: boolean, clock: Clock) {
  const groups =
    agent.pattern === 'supervisor' ? (['agent', 'supervisor', 'call'] as const) : (['agent', 'call'] as const)
  const where = `options of a run of "${agent.id}"`
  validateOptions(options, where, groups)
  const {
    signal,
    instructions,
    threadId,
    resourceId,
    stream: streams = stream,
    ...functions
  } = options as CallOptions & SupervisorOptions
  const started: RunStarted = {
    type: 'run.started',
    at: clock.now(),
    protocol: protocolVersion,
    runId: nanoid(),
    agent: agent.id,
    ...taskOf(prompt),
    settings: { ...settingsOf(functions), ...(instructions === undefined ? {} : { instructions }) },
    stream: streams,
    ...(threadId === undefined ? {} : { threadId }),
    ...(resourceId === undefined ? {} : { resourceId }),
  }
  const { memory } = profileOf(agent, started.settings)
  assertRemembers(memory, agent.tools, resourceId, where)
  return { signal, started, functions }
}

/** `agent.stream()`: a run in a troupe of its own. */
export function streamAlone(agent: AgentDefinition, prompt: Prompt, options: object = {}): Run {
  return createCore({ agents: [agent] }).start(agent, prompt, options, true)
}

/** `agent.generate()`: as `stream`, waited for. */
export async function generateAlone(
  agent: AgentDefinition,
  prompt: Prompt,
  options: object = {},
): Promise<RunResult> {
  return createCore({ agents: [agent] }).start(agent, prompt, options, false).whenIdle
}
