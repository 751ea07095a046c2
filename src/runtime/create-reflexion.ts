/** `createReflexion`: an agent that criticises itself. */
import type { AnyContext } from '../actors/run-context.ts'
import type { Schema } from '../actors/schema.ts'
import {
  defineAgent,
  identityNames,
  type AnyConfig,
  type DefinitionFor,
  type Identity,
  type NoShape,
  type ShapedOptions,
} from './define-agent.ts'
import type { AgentDefinition } from './definition.ts'
import { handoffNames, type HandoffOptions } from './handoffs.ts'
import type { AgentOptions } from './options.ts'
import type { PatternCaps } from './pattern-options.ts'
import { validateOptions } from './validate-options.ts'

export type ReflexionOptions = AgentOptions & Pick<PatternCaps, 'maxCritiques'>

export type ReflexionConfig<
  Given extends Schema = Schema,
  Context extends Schema = AnyContext,
> = Identity<Context> & HandoffOptions & ShapedOptions<ReflexionOptions, Given>

/**
 * Defines an agent that looks at each of its actions and answers as a strict reviewer would, and does better.
 * Throws a `ConfigurationError` that says what is wrong, and where.
 */
export function createReflexion<Given extends Schema = NoShape, Context extends Schema = AnyContext>(
  config: ReflexionConfig<Given, Context>,
): DefinitionFor<ReflexionOptions, Given, Context>
export function createReflexion(config: AnyConfig): AgentDefinition {
  const where = `createReflexion(${JSON.stringify(config?.id)})`
  validateOptions(config, where, 'reflexion', [...identityNames, ...handoffNames])
  return defineAgent('reflexion', where, config)
}
