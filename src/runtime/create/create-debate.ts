/** `createDebate`: several agents propose, criticise each other, and are reconciled. */
import type { AnyContext, Schema } from '../../actors/schemas/schema.ts'
import { ConfigurationError } from '../../errors.ts'
import { debateMachine } from '../../machines/debate.ts'
import {
  defineAgent,
  type AnyConfig,
  type DefinitionFor,
  type Describing,
  type Identity,
  type NoShape,
  type ShapedOptions,
} from './define-agent.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { AgentOptions, SupervisorOptions } from '../options/options.ts'
import type { PatternCaps } from '../options/pattern-caps.ts'
import { readDefinition } from '../definition/validate-options.ts'

/**
 * The options of a debate, and of a run of it. Its `maxSteps` counts rounds and answers; default: `rounds` + 3, at
 * least 5.
 */
export interface DebateOptions<Key extends string = string>
  extends
    Omit<
      AgentOptions,
      'toolChoice' | 'maxToolCallsPerStep' | 'maxRepeatedCalls' | 'toolState' | 'handoffFilter'
    >,
    Pick<SupervisorOptions<Key>, 'delegation' | 'maxDepth'>,
    Pick<PatternCaps, 'rounds' | 'quorum'> {}

/** `Key`: the keys of `agents`, by which its delegation hooks distinguish them. */
export type DebateConfig<
  Given extends Schema = Schema,
  Key extends string = string,
  Context extends Schema = AnyContext,
> = Omit<Identity<Context>, 'tools' | 'workflows'> &
  ShapedOptions<DebateOptions<NoInfer<Key>>, Given> & {
    /** The agents that take part, of any pattern: two at least. The model of the debate itself reconciles them. */
    readonly agents: Readonly<Record<Key, AgentDefinition>>
  }

/**
 * Defines an agent that has several others answer its task independently of each other, then, `rounds` (1) times,
 * criticise each other and answer again, and makes one answer of their proposals. An agent that fails is left out, or
 * keeps its previous proposal, as long as there are `quorum` proposals (all but one); else the run is `failed`, code
 * `NO_QUORUM`. Throws a `ConfigurationError` that names the error and its place; also with fewer than two agents, or a
 * `quorum` above their number.
 * Source: the pattern "Debate/Ensemble" of TrustGraph's orchestration specification.
 */
export function createDebate<
  Given extends Schema = NoShape,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
>(
  config: DebateConfig<Given, Key, Context> & Describing<Description>,
): DefinitionFor<DebateOptions<Key>, Given, Context, Description>
export function createDebate(given: AnyConfig & Pick<PatternCaps, 'quorum'>): AgentDefinition {
  const { where, config } = readDefinition(given, 'createDebate', 'debate')
  const count = Object.keys(config.agents ?? {}).length
  if (count < 2) throw new ConfigurationError(`${where}: agents must hold two agents at least, not ${count}.`)
  if (config.quorum !== undefined && config.quorum > count) {
    throw new ConfigurationError(`${where}: quorum is ${config.quorum}, and there are ${count} agents.`)
  }
  return defineAgent({ pattern: 'debate', chart: debateMachine }, where, config)
}
