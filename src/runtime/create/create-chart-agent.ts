/** `defineChartAgent`: an agent whose work is a statechart of an adapter. */
import type { AnyStateMachine } from 'xstate'
import type { ChatModel } from '../../actors/chat-model.ts'
import type { AnyContext } from '../../actors/schemas/schema.ts'
import { aFunction } from '../../actors/strict/checks.ts'
import { readOptions, required, show, type Field } from '../../actors/strict/read-options.ts'
import { once } from '../../actors/values/once.ts'
import { TerminalError } from '../../errors.ts'
import { customMachine, type ChartLogic } from '../../machines/custom.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { definitionParts } from '../definition/validate-options.ts'
import { optionsOf, type AnyOptions, type OptionsOf } from '../options/option-table.ts'
import { heard } from '../state/agent-logic.ts'
import { atOnce } from '../user-function.ts'
import { defineAgent, type DefinitionFor, type Identity, type NoShape } from './define-agent.ts'

/** The options of a run of such an agent. */
export type ChartAgentRunOptions = Pick<AnyOptions, OptionsOf<'custom'>>

/** The configuration of `defineChartAgent`. */
export interface ChartAgentConfig<Description extends string | undefined = string | undefined>
  extends Pick<Identity<AnyContext>, 'id' | 'version' | 'status' | 'onDrift'>, ChartAgentRunOptions {
  /** Describes to a supervisor the agent's task, its result and when to use it. Required of a subagent. */
  readonly description?: Description
  readonly instructions?: string
  /**
   * Makes the chart, once. Its input is a `ChartInput`. Its output is the answer: a text, `{ text }`, or any JSON, which
   * becomes a text. Effects of `defineEffect` reach the outside; a chart without them is pure.
   */
  readonly chart: () => AnyStateMachine
}

const { model: _model, contextSchema: _schema, ...parts } = definitionParts.custom

const fields: Readonly<Record<string, Field>> = { ...parts, ...optionsOf.custom, chart: required(aFunction) }

/**
 * Defines an agent whose work is a chart of yours. The agent stands wherever an agent stands, handoffs excepted. A cancel and the
 * end of the time of the run stop the chart with its effects. Throws a `ConfigurationError` for a wrong option.
 */
export function defineChartAgent<Description extends string | undefined = undefined>(
  config: ChartAgentConfig<Description>,
): DefinitionFor<ChartAgentRunOptions, NoShape, AnyContext, Description>
export function defineChartAgent(given: ChartAgentConfig): AgentDefinition {
  const where = `defineChartAgent(${show((given as Partial<ChartAgentConfig> | undefined)?.id)})`
  const { chart: make, ...config } = readOptions<object>(given, where, fields) as ChartAgentConfig
  const chart = once(() =>
    customMachine().provide({
      actors: {
        chart: heard(atOnce(`chart of ${where}`, make()), {
          listener: () => undefined,
        }) as object as ChartLogic,
      },
    }),
  )
  const model = noModel(config.id)
  return defineAgent({ pattern: 'custom', chart }, where, { ...config, model })
}

/** Stands in the place of a model: the chart calls none of ours. */
function noModel(id: string): ChatModel {
  return {
    provider: 'chart',
    modelId: id,
    generate: async () => {
      throw new TerminalError(`The agent "${id}" has no model: its work is a chart.`, {
        code: 'MODEL_FAILED',
      })
    },
  }
}
