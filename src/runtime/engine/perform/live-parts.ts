/** The live parts of the agent whose effect is performed, held against those that the journal has. */
import type { Toolset } from '../../../actors/toolset/toolset.ts'
import type { ToolsetDescription } from '../../../actors/toolset/tool-facts.ts'
import { toolsetOfDigest } from '../../../actors/toolset/working-memory.ts'
import { digestText } from '../../../actors/values/digest.ts'
import { isSameJson } from '../../../actors/values/json.ts'
import type { AgentParts } from '../../definition/definition.ts'
import { calledIn, modelIn, modelName } from '../../definition/models.ts'
import type { PerformContext } from './context.ts'
import { inTime } from '../../in-time.ts'
import { ConfigurationError, type CalledModel } from '../../../errors.ts'

/** The parts that an effect expects of its agent. */
interface Expectation {
  readonly agent: string
  /** Provider and model id. */
  readonly model?: string
  /** The place of the model in its row; absent: the first. */
  readonly fallback?: number | undefined
  /** Set where parts of the agent are functions of the run. */
  readonly toolset?: Toolset | undefined
}

/**
 * The parts of the agent as they are now. Where functions of the run make them otherwise than the journal says, the journal
 * tells it; the agent is offered what the run has on record and what is still here.
 */
export function liveParts(
  expectation: Expectation,
  context: PerformContext,
): AgentParts | Promise<AgentParts> {
  const { agent, toolset } = expectation
  return toolset === undefined ? context.definition(agent) : asRecorded(expectation, toolset, context)
}

/** As `liveParts`; the functions of the agent have until `hookTimeout`. */
export function livePartsInTime(
  expectation: Expectation & { readonly hookTimeout?: number },
  context: PerformContext,
): AgentParts | Promise<AgentParts> {
  const { agent, toolset, hookTimeout } = expectation
  if (toolset === undefined) return context.definition(agent) // no function makes the parts
  return inTime(context, hookTimeout, `The functions of the agent "${agent}"`, () =>
    asRecorded(expectation, toolset, context),
  )
}

/** The model of a call of an agent, with the model that follows it in the row of the run. */
export function calledOf(
  parts: AgentParts,
  { agent, fallback }: Pick<Expectation, 'agent' | 'fallback'>,
  context: PerformContext,
): CalledModel | undefined {
  const { dynamic, settings } = context.definition(agent)
  return calledIn(parts, fallback, dynamic.includes('model') ? undefined : settings.fallbackModels)
}

async function asRecorded(
  { agent, model, fallback }: Expectation,
  recorded: Toolset,
  context: PerformContext,
): Promise<AgentParts> {
  const live = await context.parts(agent)
  const { toolset } = live
  const offered = toolsetOfDigest(toolset, recorded.whole.digest)
  const parts = editedParts(recorded.whole, offered)
  const liveModel = modelName(modelIn(live, fallback))
  if (model !== undefined && model !== liveModel) parts.unshift('model')
  // Parts that are new are for runs that begin later.
  const known = { ...live, toolset: toolset.only(recorded.whole) }
  if (parts.length === 0) return known.toolset.names.length === toolset.names.length ? live : known
  const edits = parts.map((part) => ({ agent, part }))
  context.madeOtherwise(agent, edits, digestText(liveModel, JSON.stringify(offered.description)))
  return known
}

function editedParts(recorded: Toolset, live: Toolset): string[] {
  const [before, now] = [recorded.description, live.description]
  return [
    ...edited('tool', toolsOf(before), toolsOf(now)),
    ...edited('agent', new Map(Object.entries(before.agents)), new Map(Object.entries(now.agents))),
    ...edited('handoff', handoffsOf(before), handoffsOf(now)),
  ]
}

function handoffsOf({ handoffs = {} }: ToolsetDescription): ReadonlyMap<string, object> {
  return new Map(Object.entries(handoffs))
}

function toolsOf({ tools }: ToolsetDescription): ReadonlyMap<string, object> {
  return new Map(tools.map((tool) => [tool.name, tool]))
}

/** The parts that differ or are gone. Parts that are new are not offered to this run. */
function edited(
  kind: string,
  before: ReadonlyMap<string, object>,
  now: ReadonlyMap<string, object>,
): readonly string[] {
  return [...before].flatMap(([name, recorded]) =>
    isSameJson(recorded, now.get(name)) ? [] : [`${kind} "${name}"`],
  )
}

/** The error of a run that lacks a function: functions given per call are not durable. */
export function missing(what: string): never {
  throw new ConfigurationError(
    `The function ${what} of this run is not here: options with functions are not durable, hand them in again.`,
  )
}
