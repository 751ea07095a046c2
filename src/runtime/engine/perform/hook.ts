/** Performs `hook` effects: builds the context of the user's function, calls it, and checks its answer. */
import { effectSchemas, type EffectInput, type HookOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { AppendLog } from '../../../actors/values/append-log.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import { toJsonValue } from '../../../actors/values/to-json.ts'
import { validateWritten, type WrittenValidation } from '../../../actors/schemas/validate.ts'
import { jsonIn, theOneOf, tooDeep } from '../../../actors/text/json-in.ts'
import type { Toolset } from '../../../actors/toolset/toolset.ts'
import { ConfigurationError, TerminalError } from '../../../errors.ts'
import { shareable } from '../../../machines/contract/conversation.ts'
import type { DelegationProfile } from '../../../machines/contract/profile.ts'
import type { Message } from '../../../actors/message.ts'
import type { HandoffFilterContext, StopCondition, StopContext } from '../../options/options.ts'
import { functionOf, type OptionHook } from '../../options/settings.ts'
import type { AgentParts } from '../../definition/definition.ts'
import { assertRemembers, assertRouterMemory } from '../../options/memory-options.ts'
import { putAll, keptMessages } from '../../files/kept-content.ts'
import { liveParts, missing } from './live-parts.ts'
import { modelNames } from '../../definition/models.ts'
import type { PerformContext } from './context.ts'
import {
  completionContext,
  delegationContext,
  finishContext,
  handoffContext,
  plainContext,
  reviewContext,
  stepContext,
  type HookContext,
} from './hook-contexts.ts'
import { readAnswer } from './processor-answer.ts'
import { processInput, processOutput } from './processors.ts'

type HookInput = EffectInput<'hook'>

export async function performHook(input: HookInput, context: PerformContext): Promise<JsonValue> {
  const answer = jsonOf(input, await callHook(input, context))
  const checked = readAnswer(input.hook, effectSchemas().hookOutcomes[input.hook], answer)
  return withKeptFiles(input.hook, checked as JsonValue, context) // the schema makes JSON of JSON
}

/** A function that answers with messages may have put files into them. */
async function withKeptFiles(
  hook: HookInput['hook'],
  answer: JsonValue,
  { blobs }: PerformContext,
): Promise<JsonValue> {
  const messages = messagesIn(hook, answer)
  if (messages === undefined) return answer
  const kept = keptMessages(messages)
  await putAll(kept.blobs, blobs)
  const written = kept.messages as unknown as readonly JsonValue[]
  return Array.isArray(answer) ? written : { ...(answer as object), messages: written }
}

function messagesIn(hook: HookInput['hook'], answer: JsonValue): readonly Message[] | undefined {
  switch (hook) {
    case 'messageFilter':
    case 'handoffFilter':
      return answer as HookOutcome<'messageFilter'>
    case 'processInput':
      return (answer as HookOutcome<'processInput'>).messages ?? undefined
    default:
      return undefined
  }
}

function jsonOf({ hook }: HookInput, answer: unknown): JsonValue | undefined {
  if (answer === undefined) return undefined
  return toJsonValue(answer, `The answer of ${hook}`, { root: 'answer', code: 'INVALID_HOOK_RESULT' })
}

async function callHook(input: HookInput, context: PerformContext): Promise<unknown> {
  const { data } = input
  switch (input.hook) {
    case 'requireApproval':
      return askApprovalPredicate(input, context)
    case 'validateArguments':
      return validateArguments(input, context)
    case 'validateObject':
      return validateObject(input, context)
    case 'configure':
      return describe(input.agent, await context.parts(input.agent), context)
    case 'processInput': {
      const { inputProcessors = missing(input.hook) } = context.options(input.scope, input.agent)
      return processInput(input, inputProcessors, context)
    }
    case 'processOutput': {
      const { outputProcessors = missing(input.hook) } = context.options(input.scope, input.agent)
      return processOutput(input, outputProcessors, context)
    }
    case 'stopWhen':
      return askStopConditions(input, context)
    case 'messageFilter':
      return filterMessages(input, context)
    case 'handoffFilter':
      return filterHandoff(input, context)
    case 'onDelegationComplete':
      return reviewDelegation(input, context)
    case 'approvePlan':
      return call(input, context, plainContext(data, context))
    case 'onIterationComplete':
      return (await call(input, context, plainContext(data, context))) ?? {}
    case 'requireDelegationApproval':
      return call(input, context, delegationContext(data, context))
    case 'onDelegationStart':
      return (await call(input, context, delegationContext(data, context))) ?? {}
    case 'onStepFinish':
      await call(input, context, stepContext(data, context))
      return null
    case 'onFinish':
      await call(input, context, finishContext(data, context))
      return null
    case 'onComplete':
      await call(input, context, completionContext(data, context))
      return null
  }
}

async function call(input: HookInput, context: PerformContext, argument: unknown): Promise<unknown> {
  const hook = functionOf(context.options(input.scope, input.agent), input.hook as OptionHook)
  if (typeof hook !== 'function') return answerOfGone(input.hook)
  return (hook as (argument: unknown) => unknown)(argument)
}

/** A person is asked in the place of a policy that is gone. */
function answerOfGone(hook: HookInput['hook']): unknown {
  if (hook === 'approvePlan' || hook === 'requireDelegationApproval') return true
  return isObserver(hook) ? undefined : missing(hook)
}

/** Whether the function only observes: a run goes on without it where its agent has it no more. */
function isObserver(hook: HookInput['hook']): boolean {
  return hook === 'onStepFinish' || hook === 'onFinish' || hook === 'onComplete'
}

async function reviewDelegation(input: HookInput, context: PerformContext): Promise<unknown> {
  let bail = false
  let hasReturned = false
  const argument = reviewContext(input.data, context, {
    duration: context.elapsed(String(input.data['delegationId'])),
    bail: () => {
      if (hasReturned)
        context.misused({ verb: 'called bail() too late', code: 'BAIL_TOO_LATE' }, bailedTooLate())
      else bail = true
    },
  })
  try {
    const answer = await call(input, context, argument)
    return { ...readAnswer(input.hook, effectSchemas().delegationReview, jsonOf(input, answer)), bail }
  } finally {
    hasReturned = true
  }
}

function bailedTooLate(): TerminalError {
  const message = 'bail() has no effect once onDelegationComplete has returned: await what it waits for.'
  return new TerminalError(message, { code: 'BAIL_TOO_LATE' })
}

async function filterMessages(input: HookInput, context: PerformContext): Promise<unknown> {
  const { options: _options, ...own } = input.data
  const argument = delegationContext(own, context)
  return call(input, context, shownTo(argument, input.data, 'named'))
}

async function filterHandoff(input: HookInput, context: PerformContext): Promise<unknown> {
  const filter = context.options(input.scope, input.agent).handoffFilter ?? missing(input.hook)
  const argument = shownTo(handoffContext(input.data, context), input.data, 'kept')
  return filter(argument as object as HandoffFilterContext)
}

/** The context of a filter: its messages are those that may be shared, and its answer is taken as it is given. */
function shownTo(argument: HookContext, data: HookInput['data'], files: 'named' | 'kept'): HookContext {
  const { filterInternalMessages } = data['options'] as DelegationProfile
  const conversation = data['messages'] as AppendLog<Message>
  // Copies: a filter may redact its messages in place.
  const value = shareable(conversation, filterInternalMessages, files).map((message) => ({ ...message }))
  return Object.defineProperty(argument, 'messages', { value, enumerable: true })
}

async function askStopConditions(input: HookInput, context: PerformContext): Promise<unknown> {
  const conditions = [context.options(input.scope, input.agent).stopWhen ?? missing(input.hook)].flat()
  for (const condition of conditions as readonly StopCondition[]) {
    const answer: unknown = await condition(plainContext(input.data, context) as object as StopContext)
    if (answer !== false) return answer // true, or an invalid answer that is refused
  }
  return false
}

async function askApprovalPredicate(input: HookInput, context: PerformContext): Promise<unknown> {
  const { tools } = await liveParts(expectationOf(input), context)
  const tool = tools[String(input.data['tool'])]
  const predicate = tool?.requireApproval
  if (tool === undefined || typeof predicate !== 'function') return true
  const given = input.data['args'] as JsonValue
  const args = await validateWritten(tool.inputSchema, given)
  return predicate(args.ok ? args.value : given)
}

async function validateArguments(input: HookInput, context: PerformContext): Promise<unknown> {
  const { toolset } = await liveParts(expectationOf(input), context)
  const check = await toolset.checkLater({
    name: String(input.data['tool']),
    args: input.data['args'] as JsonValue,
  })
  return { problem: check.status === 'invalid' ? check.problem : null }
}

function expectationOf({ agent, data }: HookInput) {
  return { agent, toolset: data['toolset'] as Toolset | undefined }
}

/** The parts of an agent that functions of the run made, as plain data. */
function describe(agent: string, parts: AgentParts, context: PerformContext): HookOutcome<'configure'> {
  const { memory } = parts
  if (memory !== undefined) {
    const where = `memory of "${agent}"`
    if (context.definition(agent).pattern === 'router') assertRouterMemory(memory, where)
    assertRemembers(memory || undefined, parts.tools, context.resourceId, where)
  }
  return { ...describedParts(parts), ...(memory === undefined ? {} : { memory: memory || null }) }
}

/** The parts of an agent as the journal has them, without its memory. */
export function describedParts(parts: AgentParts) {
  const { instructions, toolset } = parts
  const { tools, agents, handoffs } = toolset.description
  const [model = '', ...fallbacks] = modelNames(parts)
  return {
    instructions,
    model,
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
    tools: [...tools],
    agents,
    ...(handoffs === undefined ? {} : { handoffs }),
  }
}

/** The outcome holds the JSON that fits, not the output of the schema: only JSON is journaled. */
async function validateObject(input: HookInput, context: PerformContext): Promise<unknown> {
  const { structuredOutput } = context.options(input.scope, input.agent)
  if (structuredOutput === undefined) throw new ConfigurationError('The schema of this run is not here.')
  const values = jsonIn(String(input.data['text']))
  const checks = await Promise.all(
    values.map(async (value): Promise<WrittenValidation> => {
      const problem = tooDeep(value)
      return problem === undefined
        ? validateWritten(structuredOutput.schema, value)
        : { ok: false, problem, written: value }
    }),
  )
  const answer = theOneOf(checks)
  if (answer.ok) return { problem: null, object: answer.written }
  const failed = checks.find(isFailed)
  if (failed !== undefined) throw schemaFailed(failed.problem, failed.failure)
  return { problem: answer.problem, object: null }
}

type Failed = Required<Extract<WrittenValidation, { readonly ok: false }>>

function isFailed(check: WrittenValidation): check is Failed {
  return !check.ok && check.failure !== undefined
}

function schemaFailed(message: string, { thrown: cause }: { readonly thrown: unknown }): TerminalError {
  return new TerminalError(message, { code: 'SCHEMA_FAILED', cause })
}
