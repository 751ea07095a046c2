/**
 * A routing decision: which primitive works on the task next, with what, and why. What a model writes counts only
 * where it has the shape, names what is on offer, and gives an input that fits.
 */
import { z } from 'zod'
import type { ResponseFormat } from '../../actors/chat-model.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import type { ToolCall } from '../../actors/message.ts'
import { delegationPrefix, type Toolset } from '../../actors/toolset.ts'
import type { DecisionCheck } from '../decision.ts'
import { parseDecision } from '../decision/parse-decision.ts'
import type { Primitive } from '../contract/events.ts'
import { isSame, nameOf } from './candidates.ts'

export interface RoutingDecision extends Primitive {
  /** For an agent its task, for a workflow or tool its input as JSON, for `none` the answer. */
  readonly prompt: string
  readonly selectionReason: string
}

const types = ['agent', 'workflow', 'tool', 'none'] as const

const schema = z.object({
  primitiveId: z.string(),
  primitiveType: z.enum(types),
  prompt: z.string(),
  selectionReason: z.string(),
})

/** As the server is told it: a shape that holds no more than what is on offer. */
export function routingFormat(candidates: readonly Primitive[]): ResponseFormat {
  const oneOf = (names: readonly string[]) => ({ type: 'string', enum: [...new Set(names)] })
  return {
    name: 'routing-decision',
    schema: {
      type: 'object',
      properties: {
        primitiveId: oneOf(candidates.map(({ primitiveId }) => primitiveId)),
        primitiveType: oneOf(candidates.map(({ primitiveType }) => primitiveType)),
        prompt: { type: 'string' },
        selectionReason: { type: 'string' },
      },
      required: ['primitiveId', 'primitiveType', 'prompt', 'selectionReason'],
      additionalProperties: false,
    },
  }
}

export interface Rules {
  readonly toolset: Toolset
  readonly candidates: readonly Primitive[]
  /** Agents are given the task as it stands, whatever the decision says. */
  readonly handsOver: boolean
  /** An answer may be left out: it is written later, or the last result stands. */
  readonly mayLeaveAnswerOut: boolean
}

/** Pure. A problem is worded for the model. */
export function checkRouting(text: string, rules: Rules): DecisionCheck {
  return parseDecision<RoutingDecision>(text, schema, (decision) => problemOf(decision, rules))
}

function problemOf(decision: RoutingDecision, rules: Rules): string | undefined {
  const { toolset, candidates, handsOver, mayLeaveAnswerOut } = rules
  if (!candidates.some((candidate) => isSame(candidate, decision))) {
    return `${nameOf(decision)} is not on offer. On offer: ${candidates.map(nameOf).join(', ')}`
  }
  if (decision.primitiveType === 'none') {
    return decision.prompt.trim() === '' && !mayLeaveAnswerOut ? 'prompt must hold the answer' : undefined
  }
  if (decision.primitiveType === 'agent' && handsOver) return undefined
  const call = callOf(decision, '')
  if (call === undefined) return `prompt must be the JSON text of an object, the input of ${nameOf(decision)}`
  const check = toolset.check(call)
  return check.status === 'invalid' ? check.problem : undefined
}

/** The call that a decision comes to; `undefined` where it comes to none. */
export function callOf(
  { primitiveType, primitiveId, prompt }: RoutingDecision,
  id: string,
): ToolCall | undefined {
  if (primitiveType === 'none') return undefined
  if (primitiveType === 'agent') return { id, name: delegationPrefix + primitiveId, args: { prompt } }
  const args = inputOf(prompt)
  return args === undefined ? undefined : { id, name: primitiveId, args }
}

/** Where nothing is to be given, models leave the prompt blank. */
function inputOf(prompt: string): JsonValue | undefined {
  if (prompt.trim() === '') return {}
  try {
    const parsed = JSON.parse(prompt) as JsonValue
    return isRecord(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
