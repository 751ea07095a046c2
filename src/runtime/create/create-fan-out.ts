/** `createFanOut`: an agent that divides its task into goals for other agents, and puts their results together. */
import type { AnyContext, InferOutput, Schema } from '../../actors/schemas/schema.ts'
import { ConfigurationError } from '../../errors.ts'
import { fanOutMachine } from '../../machines/fan-out.ts'
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
import type { DynamicRecord } from '../definition/dynamic-parts.ts'
import type { AgentOptions, DelegationOptions } from '../options/options.ts'
import type { PatternCaps } from '../options/pattern-caps.ts'
import { readDefinition } from '../definition/validate-options.ts'

/** The options of a fan-out. Its `maxSteps` counts rounds and answers; default: `maxRounds` + 2. */
export interface FanOutOptions<Key extends string = string>
  extends
    Omit<
      AgentOptions,
      'toolChoice' | 'maxToolCallsPerStep' | 'maxRepeatedCalls' | 'toolState' | 'handoffFilter'
    >,
    Pick<PatternCaps, 'maxGoals' | 'maxRounds' | 'goalTimeout'> {
  readonly delegation?: DelegationOptions<Key>
  /** Levels of delegation that are allowed below the root. A fan-out below it can only lower this. Default: 5. */
  readonly maxDepth?: number
}

/** `Key`: the keys of `agents`. A fan-out calls no tools itself. */
export type FanOutConfig<
  Given extends Schema = Schema,
  Key extends string = string,
  Context extends Schema = AnyContext,
> = Omit<Identity<Context>, 'tools' | 'workflows'> &
  ShapedOptions<FanOutOptions<NoInfer<Key>>, Given> & {
    /** The agents that may work on a goal, of any pattern; the model sees their keys and descriptions. At least one. */
    readonly agents: DynamicRecord<Key, AgentDefinition, InferOutput<Context>>
  }

/**
 * Defines an agent that divides its task into independent goals, has other agents work on them concurrently, and
 * answers from all results, those that are missing included; until then it may ask for more rounds of goals.
 * Throws a `ConfigurationError` that names the error and its place.
 */
export function createFanOut<
  Given extends Schema = NoShape,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
>(
  config: FanOutConfig<Given, Key, Context> & Describing<Description>,
): DefinitionFor<FanOutOptions<Key>, Given, Context, Description>
export function createFanOut(given: AnyConfig): AgentDefinition {
  const { where, config } = readDefinition(given, 'createFanOut', 'fan-out')
  const { agents = {} } = config
  if (typeof agents !== 'function' && Object.keys(agents).length === 0) {
    throw new ConfigurationError(`${where}: agents must hold at least one agent.`)
  }
  return defineAgent({ pattern: 'fan-out', chart: fanOutMachine }, where, config)
}
