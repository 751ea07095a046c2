/** Which parts of a state count in an exploration: those that a function, a limit or an alphabet can act on. */
import type { HookName } from '../../actors/effect-names.ts'
import { lookUp, type AgentRegistry } from '../../runtime/definition/registry.ts'
import type { RunStarted } from '../../runtime/journal/journal.ts'
import type { BudgetOptions } from '../../runtime/options/budget-options.ts'
import type { ExploreOptions } from './options.ts'
import type { StateView } from './state/view.ts'

interface Explored {
  readonly options: ExploreOptions
  readonly registry: AgentRegistry
  readonly started: RunStarted
  readonly budget: BudgetOptions | undefined
}

export function viewOf({ options, registry, started, budget }: Explored): StateView {
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
