/** The exploration of one agent: its run, its alphabet, its rules, and the search over its states. */
import { ConfigurationError } from '../../errors.ts'
import { unknownKeyText } from '../../actors/strict/known-keys.ts'
import { RunAgentParts } from '../../runtime/agents/run-parts.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { createRegistry, lookUp, type AgentRegistry } from '../../runtime/definition/registry.ts'
import { budgetOf, type BudgetOptions } from '../../runtime/options/budget-options.ts'
import type { RunState } from '../../runtime/state/run-state.ts'
import type { InterpreterName } from '../../runtime/interpreter/interpreter.ts'
import { createRun } from '../../runtime/run/create-run.ts'
import { Alphabet, type Offer } from './alphabet/alphabet.ts'
import type { ExploreOptions } from './options.ts'
import { stateKey } from './state/state-key.ts'
import type { StateView } from './state/forgetful.ts'
import { choicesOf, deadlinesOf } from './search/choices.ts'
import type { ChoiceOptions } from './search/effect-choices.ts'
import type { Space } from './search/search.ts'
import { RealFunctions } from './world/real-functions.ts'
import type { Subject } from './world/subject.ts'
import type { ControlledRun } from './world/controlled-run.ts'
import { World } from './world/world.ts'
import { workingMemoryToolName } from '../../actors/toolset/working-memory.ts'
import { planName } from '../../machines/plan-then-execute/plan-approval.ts'
import { eventTypes } from './rules/event-types.ts'
import type { RuleNames } from './rules/monitor.ts'
import type { HookName } from '../../actors/effects/effect-names.ts'
import type { RunStarted } from '../../runtime/journal/journal.ts'

export interface Exploration {
  readonly subject: Subject
  readonly registry: AgentRegistry
  readonly functions: RealFunctions
  readonly alphabet: Alphabet
  readonly budget: BudgetOptions | undefined
  readonly view: StateView
  readonly space: Omit<Space, 'keyOf' | 'memoryOf' | 'visit'> & { keyOf(run: ControlledRun): string }
}

const defaultSteps = 2
const defaultCrashes = 1

/** Throws a `ConfigurationError` for an option that fits no agent or tool. */
export function explorationOf(
  agent: AgentDefinition,
  options: ExploreOptions,
  where: string,
  interpreter: InterpreterName = 'tables',
): Exploration {
  const registry = createRegistry([agent])
  const spec = createRun(agent, options.task ?? 'The task.', options.run ?? {}, false, {
    registry,
    selectors: {},
    now: 0,
    newId: () => 'explored',
    hasBlobs: true,
    hasMemory: true,
  })
  const { started } = spec
  const parts = new RunAgentParts({ registry: spec.registry, started })
  const subject: Subject = {
    started,
    registry: spec.registry,
    functions: spec.functions,
    partsOf: (id) => parts.of(id),
    interpreter,
  }
  assertNames(options, registry, where)
  const functions = new RealFunctions()
  const budget = budgetOf(lookUp(spec.registry, agent.id).settings.budget, started.settings.budget)
  const { adversary = {}, limits = {} } = options
  const alphabet = new Alphabet(
    {
      say: options.say ?? {},
      tools: options.tools ?? {},
      hooks: options.hooks ?? {},
      scorers: options.scorers ?? {},
      config: options.config ?? [],
      failures: adversary.failures ?? true,
      steps: limits.steps ?? defaultSteps,
    },
    { registry: spec.registry, prices: budget?.prices, functions },
  )
  const view = viewOf({ options, registry, started, budget })
  const space = spaceOf(subject, alphabet, functions, view, {
    people: options.people ?? ['approve', 'deny'],
    messages: options.messages ?? [],
    adversary: {
      cancel: adversary.cancel ?? true,
      cancelDelegations: adversary.cancelDelegations ?? true,
      timers: adversary.timers ?? 'any',
      crashes: adversary.crash === false ? 0 : (limits.crashes ?? defaultCrashes),
    },
    hasDeadline: adversary.deadlines === false ? () => false : deadlinesOf(subject),
  })
  return { subject, registry, functions, alphabet, budget, view, space }
}

interface Explored {
  readonly options: ExploreOptions
  readonly registry: AgentRegistry
  readonly started: RunStarted
  readonly budget: BudgetOptions | undefined
}

/** Which parts of a state count in an exploration: those that a function, a limit or an alphabet can act on. */
function viewOf({ options, registry, started, budget }: Explored): StateView {
  const groups = new Map(
    (options.interchangeable ?? []).flatMap((group) => group.map((id) => [id, group.join('=')] as const)),
  )
  const limits = { tokens: budget?.tokens, cost: budget?.cost, modelCalls: budget?.modelCalls }
  return {
    texts: readsTexts(options, registry, started),
    groupOf: (agent) => groups.get(agent) ?? agent,
    counters: (['tokens', 'cost', 'modelCalls'] as const).filter((name) => limits[name] !== undefined),
    timed: options.adversary?.timers === 'inOrder',
  }
}

/** They see arguments alone, and these count in any case. */
const blind: ReadonlySet<string> = new Set<HookName>(['requireApproval', 'validateArguments', 'configure'])

/** Whether the words of models and tools count: an alphabet, a hook or a scorer reads them, or an agent its thread. */
function readsTexts(options: ExploreOptions, registry: AgentRegistry, started: RunStarted): boolean {
  const { say = {}, hooks = {}, scorers = {} } = options
  if (Object.values(say).some((says) => typeof says === 'function')) return true
  const definitions = [...registry.keys()].map((id) => lookUp(registry, id))
  if (definitions.some(({ handoffs }) => handoffs?.profile.keep === true)) return true
  const settings = definitions.map((definition) => definition.settings)
  return [...settings, started.settings].some((own) => {
    const given = own.hooks.filter((name) => name !== 'compaction')
    const called = given.filter((name) => !blind.has(name) && hooks[name] === undefined)
    const scoring = (own.completion?.scorers ?? []).filter(({ id }) => scorers[id] === undefined)
    const { input = [], output = [], stream = [] } = own.processors ?? {}
    const isScreened =
      (input.length > 0 && hooks.processInput === undefined) ||
      (output.length > 0 && hooks.processOutput === undefined) ||
      stream.length > 0
    const isTyped = own.responseFormat !== undefined && hooks.validateObject === undefined
    const isSummarized = own.compaction?.by === 'function'
    return called.length + scoring.length > 0 || isScreened || isTyped || isSummarized
  })
}

function spaceOf(
  subject: Subject,
  alphabet: Alphabet,
  functions: RealFunctions,
  view: StateView,
  choices: Omit<ChoiceOptions, 'offerOf'>,
): Exploration['space'] {
  /** By world, the offers of its held effects; what memory holds may change while an effect waits. */
  const offers = new WeakMap<ControlledRun, Map<string, Offer>>()
  const offerOf = (key: string, world: ControlledRun): Offer => {
    const known = offers.get(world) ?? new Map<string, Offer>()
    offers.set(world, known)
    const before = known.get(key)
    if (before !== undefined) return before
    const held = world.held.get(key)
    const offer = held === undefined ? nothing : alphabet.offerOf(held, world.threads)
    const mayChange = offer.unasked.length > 0 || held?.effect.kind === 'memory'
    if (!mayChange) known.set(key, offer)
    return offer
  }
  return {
    create: () => new World(subject),
    async prepare(world, path) {
      for (const key of world.held.keys()) {
        for (const call of offerOf(key, world).unasked) await functions.ask(call, path)
      }
    },
    choicesOf: (world) => choicesOf(world, { ...choices, offerOf }),
    keyOf: (world) =>
      stateKey(world, {
        view,
        offered: (key) =>
          offerOf(key, world)
            .outcomes.map(({ settlement }) => JSON.stringify(settlement))
            .join(),
      }),
    kindOf: ({ state }, key) => state.effects.effectOf(key)?.kind ?? 'effect',
    restOf: ({ state, ignored }) =>
      state.isSettled ? state.output?.outcome : isIgnored(state, ignored) ? 'suspended' : undefined,
  }
}

/** Whether a suspended run waits for people alone who never answer, and for no timer. */
function isIgnored({ isSuspended, signals, effects }: RunState, ignored: ReadonlySet<string>): boolean {
  const waits = isSuspended && effects.wakeAt === undefined
  return waits && signals.toJSON().open.every(({ key }) => ignored.has(key))
}

const nothing: Offer = { outcomes: [], unasked: [] }

function assertKnown(
  where: string,
  names: readonly string[],
  known: readonly string[],
  word: 'name' | 'event',
): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new ConfigurationError(`${where}: ${unknownKeyText(unknown, known, word)}`)
}

/** A rule about a name that is nowhere would hold in every run. Throws a `ConfigurationError`. */
export function assertRuleNames(
  { types, agents, tools }: RuleNames,
  registry: AgentRegistry,
  where: string,
): void {
  assertKnown(`${where}: rules`, types, eventTypes, 'event')
  const known = [...registry.keys()]
  const definitions = known.map((id) => lookUp(registry, id))
  if (definitions.some(({ dynamic }) => dynamic.length > 0)) return
  assertKnown(`${where}: rules`, agents, known, 'name')
  const names = definitions.flatMap(({ toolset }) => [...toolset.whole.names, ...toolset.whole.tools.keys()])
  assertKnown(`${where}: rules`, tools, [...names, workingMemoryToolName, planName], 'name')
}

/** Parts that functions make are not known beforehand: then the names of tools are not checked. */
function assertNames(options: ExploreOptions, registry: AgentRegistry, where: string): void {
  const agents = [...registry.keys()]
  const definitions = agents.map((id) => lookUp(registry, id))
  const isDynamic = definitions.some(({ dynamic }) => dynamic.length > 0)
  const tools = definitions.flatMap((definition) => Object.keys(definition.tools))
  const scorers = [...definitions.map((definition) => definition.options), options.run ?? {}].flatMap(
    (given) =>
      (given as { completion?: { scorers: readonly { id: string }[] } }).completion?.scorers.map(
        ({ id }) => id,
      ) ?? [],
  )
  assertKnown(`${where}: interchangeable`, (options.interchangeable ?? []).flat(), agents, 'name')
  assertKnown(`${where}: scorers`, Object.keys(options.scorers ?? {}), scorers, 'name')
  if (isDynamic) return
  assertKnown(`${where}: say`, Object.keys(options.say ?? {}), agents, 'name')
  assertKnown(`${where}: tools`, Object.keys(options.tools ?? {}), tools, 'name')
}
