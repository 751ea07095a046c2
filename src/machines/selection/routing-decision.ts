/**
 * A routing decision: the primitive that works on the task next, its input, and the reason. The text of a model
 * counts only if it has the shape, names a candidate, and gives a valid input.
 */
import { delegationPrefix } from '../../actors/strict/ids.ts'
import { z } from 'zod'
import type { ResponseFormat } from '../../actors/chat-model.ts'
import { jsonIn } from '../../actors/text/json-in.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import type { CallReader, CallVerdicts, ToolCall } from '../../actors/message.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'
import { once } from '../../actors/values/once.ts'
import { callsIn, judged, parseDecision, type DecisionCheck } from '../decision/parse-decision.ts'
import type { Primitive } from '../contract/events.ts'
import { isSame, nameOf } from './candidates.ts'

/** A decision of a router: the primitive that works on the task next, its prompt, and the reason. */
export interface RoutingDecision extends Primitive {
  /** For an agent its task, for a workflow or tool its input as JSON, for `none` the answer. */
  readonly prompt: string
  readonly selectionReason: string
}

const types = ['agent', 'workflow', 'tool', 'none'] as const

const decisionSchema = once(() =>
  z.object({
    primitiveId: z.string(),
    primitiveType: z.enum(types),
    prompt: z.string(),
    selectionReason: z.string(),
  }),
)

/** The schema for the server: it allows only the candidates. */
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
  /** Agents are given the task unchanged; the prompt of the decision is ignored. */
  readonly handsOver: boolean
  /** An answer may be left out: it is written later, or the last result is the answer. */
  readonly mayLeaveAnswerOut: boolean
}

/** Pure. A problem is worded for the model. */
export function checkRouting(text: string, rules: Rules, verdicts?: CallVerdicts): DecisionCheck {
  return parseDecision<RoutingDecision>(text, decisionSchema(), (decision) =>
    problemOf(decision, rules, verdicts),
  )
}

/** The call that the text of a decision makes, where it names a candidate. */
export function routedCalls(text: string, { candidates }: Rules): ReturnType<CallReader> {
  return callsIn<RoutingDecision>(text, decisionSchema(), (decision) =>
    candidates.some((candidate) => isSame(candidate, decision)) ? [callOf(decision, '')] : [],
  )
}

function problemOf(
  decision: RoutingDecision,
  rules: Rules,
  verdicts: CallVerdicts | undefined,
): string | undefined {
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
  const check = toolset.check(judged(call, verdicts))
  return check.status === 'invalid' ? check.problem : undefined
}

/** The call that a decision makes; `undefined`: none. */
export function callOf(
  { primitiveType, primitiveId, prompt }: RoutingDecision,
  id: string,
): ToolCall | undefined {
  if (primitiveType === 'none') return undefined
  if (primitiveType === 'agent') return { id, name: delegationPrefix + primitiveId, args: { prompt } }
  const args = inputOf(prompt)
  return args === undefined ? undefined : { id, name: primitiveId, args }
}

/** A blank prompt is an empty input: models leave it blank where no input is needed. */
function inputOf(prompt: string): JsonValue | undefined {
  if (prompt.trim() === '') return {}
  const inputs = jsonIn(prompt).filter((value) => isRecord(value))
  return inputs.length === 1 ? inputs[0] : undefined
}
