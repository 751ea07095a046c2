/** The live parts of the agent whose effect is performed. Parts that functions make must match the journal. */
import type { Toolset, ToolsetDescription } from '../../../actors/toolset.ts'
import { toolsetOfDigest } from '../../../actors/working-memory.ts'
import { TerminalError } from '../../../errors.ts'
import type { AgentParts } from '../../definition/definition.ts'
import type { PerformContext } from './context.ts'
import { inTime } from '../../in-time.ts'

/** The parts that an effect expects of its agent. */
interface Expectation {
  readonly agent: string
  /** Provider and model id. */
  readonly model?: string
  /** Set where parts of the agent are functions of the run. */
  readonly toolset?: Toolset | undefined
}

/** Rejects with a `TerminalError`, code `CONFIGURATION_CHANGED`, that names the difference. */
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

async function asRecorded(
  { agent, model }: Expectation,
  toolset: Toolset,
  context: PerformContext,
): Promise<AgentParts> {
  const live = await context.parts(agent)
  const liveModel = modelName(live)
  const difference =
    model !== undefined && model !== liveModel
      ? `the model was "${model}" and is now "${liveModel}"`
      : differenceOf(toolset.whole, toolsetOfDigest(live.toolset, toolset.whole.digest))
  if (difference === undefined) return live
  throw new TerminalError(
    `The functions of the agent "${agent}" answer otherwise than when this run began: ${difference}.`,
    { code: 'CONFIGURATION_CHANGED' },
  )
}

export function modelName({ model }: AgentParts): string {
  return `${model.provider}/${model.modelId}`
}

function differenceOf(recorded: Toolset, live: Toolset): string | undefined {
  const [before, now] = [recorded.description, live.description]
  return (
    firstDifference('tool', toolsOf(before), toolsOf(now)) ??
    firstDifference('agent', new Map(Object.entries(before.agents)), new Map(Object.entries(now.agents))) ??
    firstDifference('handoff', handoffsOf(before), handoffsOf(now))
  )
}

function handoffsOf({ handoffs = {} }: ToolsetDescription): ReadonlyMap<string, object> {
  return new Map(Object.entries(handoffs))
}

function toolsOf({ tools }: ToolsetDescription): ReadonlyMap<string, object> {
  return new Map(tools.map((tool) => [tool.name, tool]))
}

function firstDifference(
  kind: string,
  before: ReadonlyMap<string, object>,
  now: ReadonlyMap<string, object>,
): string | undefined {
  for (const [name, recorded] of before) {
    const live = now.get(name)
    if (live === undefined) return `the ${kind} "${name}" is gone`
    const field = fieldsOf(recorded, live).find((one) => textOf(recorded, one) !== textOf(live, one))
    if (field !== undefined) {
      return `${field} of the ${kind} "${name}" was ${textOf(recorded, field)} and is now ${textOf(live, field)}`
    }
  }
  const added = [...now.keys()].find((name) => !before.has(name))
  return added === undefined ? undefined : `the ${kind} "${added}" is new`
}

function fieldsOf(...values: readonly object[]): string[] {
  return [...new Set(values.flatMap((value) => Object.keys(value)))]
}

function textOf(value: object, field: string): string | undefined {
  return JSON.stringify(Reflect.get(value, field))
}
