/**
 * The door of a dry fork: in place of the real performers it holds each effect that would pay or act as a question, and performs
 * the others. A scripted reply goes through all that a real one goes through.
 */
import type { ChatModel, ModelReply, ModelRequest } from '../../actors/chat-model.ts'
import { effectSchemas, type EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { EffectRequest } from '../../actors/effects/effect.ts'
import { noUsage } from '../../actors/usage.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { toJsonValue } from '../../actors/values/to-json.ts'
import { ConfigurationError, RetryableError, TerminalError, type ErrorData } from '../../errors.ts'
import { systemClock } from '../clock.ts'
import { nameOf, type PerformedRequest } from '../engine/effects/exceptions.ts'
import type { Perform } from '../engine/effects/perform.ts'
import { plainInput } from '../engine/around/observed-effect.ts'
import { changedAgent, type AgentParts } from '../definition/definition.ts'
import type { PerformContext } from '../engine/perform/context.ts'
import { perform } from '../engine/perform/index.ts'
import { livePartsInTime } from '../engine/perform/live-parts.ts'
import { modelName } from '../definition/models.ts'
import { readOutcome } from '../replay/fork.ts'
import { timeoutError, timeoutException } from '../state/effects/deadline.ts'
import type { PendingEffect } from '../state/effects/pending-effect.ts'
import type { DryFunctions, DryQuestion, ScriptedOutcome } from './contract.ts'
import { hookTemplate } from './hook-templates.ts'

type Outcome = EffectOutcome<PerformedRequest['kind']>

export interface DryDoorOptions {
  readonly functions: DryFunctions
  /** Resolves with the outcome that is given. `signal` fires when the run has let go of the effect. */
  readonly ask: (question: DryQuestion, signal: AbortSignal) => Promise<ScriptedOutcome>
}

export function dryDoor({ functions, ask }: DryDoorOptions): Perform {
  const asked = async (
    effect: PendingEffect,
    context: PerformContext,
    { signal, ...about }: Partial<DryQuestion> & { readonly signal?: AbortSignal } = {},
  ): Promise<JsonValue> => {
    const question = { ...questionOf(effect, context), ...about }
    const { value, error } = await ask(question, signal ?? context.signal)
    if (error !== undefined) throw scriptedError(error)
    return value
  }
  const answered: Perform = async (request, context, effect) =>
    outcomeOf(request as PerformedRequest, effect.key, await asked(effect, context))
  return (request, context, effect) => {
    switch (deedOf(request as PerformedRequest, functions, context)) {
      case 'perform':
        return inTime(effect, () => perform(request, context))
      case 'call':
        return perform(
          request,
          withModels(context, functions, async (given, model, signal) =>
            replyOf(await asked(effect, context, { signal, ...callQuestion(given, model) })),
          ),
        )
      case 'keep':
        return asked(effect, context).then(() => perform(request, context))
      case 'search':
        return searching(request as EffectRequest<'tool'>, context).then((isOfUser) =>
          isOfUser ? answered(request, context, effect) : inTime(effect, () => perform(request, context)),
        )
      case 'ask':
        return answered(request, context, effect)
    }
  }
}

/**
 * What is done about an effect: it is performed, its models are answered for, its write is kept in the fork once it was agreed
 * to, or its outcome is asked for. A search for tools is performed where no function of the user makes it.
 */
type DryDeed = 'perform' | 'call' | 'keep' | 'search' | 'ask'

function deedOf(request: PerformedRequest, functions: DryFunctions, context: PerformContext): DryDeed {
  switch (request.kind) {
    case 'model':
      return 'call'
    case 'compaction':
      if (request.input.model !== undefined) return 'call'
      return functions === 'run' ? 'perform' : 'ask'
    case 'hook':
    case 'scorer':
      return functions === 'run' ? 'perform' : 'ask'
    case 'memory':
      return request.input.operation === 'save' ? 'keep' : 'perform'
    case 'config':
      return 'perform'
    case 'tool':
      // The library's search among the tools on offer pays nobody, and acts nowhere.
      if (toolFacts(request, context)?.finds !== true) return 'ask'
      return functions === 'run' ? 'perform' : 'search'
    case 'remote':
    case 'custom':
    case 'agent':
      return 'ask'
  }
}

function toolFacts({ input }: EffectRequest<'tool'>, context: PerformContext) {
  const toolset = input.toolset ?? context.definition(input.agent).toolset
  return toolset.tools.get(input.tool)
}

/** Whether a function of the user finds the tools. */
async function searching({ input }: EffectRequest<'tool'>, context: PerformContext): Promise<boolean> {
  const { tools } = await livePartsInTime(input, context)
  return tools[input.tool]?.searches === true
}

/** The alarms of the engine ring by the time of the fork, which stands still: a function has the time of this process. */
async function inTime(effect: PendingEffect, act: () => PromiseLike<Outcome>): Promise<Outcome> {
  const { timeout } = effect
  if (timeout === undefined) return act()
  const late = Promise.withResolvers<never>()
  const callOff = systemClock.after(timeout, () => {
    late.reject(timeoutException(effect))
    effect.signalTimeout(timeoutError(effect))
  })
  try {
    return await Promise.race([act(), late.promise])
  } finally {
    callOff()
  }
}

// --- questions ------------------------------------------------------------------------------------------------------

function questionOf(effect: PendingEffect, context: PerformContext): DryQuestion {
  const { key, source, request } = effect
  const performed = request as PerformedRequest
  const name = nameOf(performed)
  return {
    key,
    kind: isWorkflow(performed, context) ? 'workflow' : performed.kind,
    ...(name === undefined ? {} : { name }),
    agent: source.agent,
    path: source.path,
    input: toJsonValue(plainInput(performed), 'the request'),
    template: templateOf(performed, context),
  }
}

function isWorkflow(request: PerformedRequest, context: PerformContext): boolean {
  return request.kind === 'tool' && toolFacts(request, context)?.isWorkflow === true
}

/** What a model is asked, as it would be sent. */
function callQuestion(
  request: ModelRequest,
  model: ChatModel,
): Pick<DryQuestion, 'name' | 'input' | 'template'> {
  const template = { text: '', toolCalls: [] }
  return { name: modelName(model), input: toJsonValue(request, 'the request'), template }
}

function templateOf(request: PerformedRequest, context: PerformContext): JsonValue {
  switch (request.kind) {
    case 'scorer':
      return { score: 1 }
    case 'hook':
      return hookTemplate(request.input, context.definition(request.input.agent))
    case 'compaction':
      return { text: '' }
    case 'tool':
      return toolFacts(request, context)?.finds === true ? { found: [] } : null
    default:
      return null
  }
}

// --- outcomes -------------------------------------------------------------------------------------------------------

function scriptedError({ name, code, message, retryable, retryAfterMs }: ErrorData): Error {
  const error =
    retryable === true
      ? new RetryableError(message, { code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
      : new TerminalError(message, { code })
  return Object.assign(error, { name })
}

/** Throws a `ConfigurationError` for what is no outcome of such an effect. */
export function assertScripted({ kind, key }: Pick<DryQuestion, 'kind' | 'key'>, value: JsonValue): void {
  switch (kind) {
    case 'model':
    case 'compaction':
      void replyOf(value)
      return
    case 'tool':
    case 'workflow':
      return // they return any value
    default:
      void readOutcome(kind, key, value, 'the scripted outcome')
  }
}

function outcomeOf(request: PerformedRequest, key: string, value: JsonValue): Outcome {
  if (request.kind === 'tool') return { type: 'returned', value }
  if (request.kind === 'compaction') return { text: replyOf(value).text, usage: noUsage }
  return readOutcome(request.kind, key, value, 'the scripted outcome')
}

/** A text is a reply too. Throws a `ConfigurationError`. */
function replyOf(value: JsonValue): ModelReply {
  const given = typeof value === 'string' ? { text: value } : value
  const checked = isRecord(given) ? effectSchemas().modelReply.safeParse(given) : undefined
  if (checked?.success !== true || !isRecord(given))
    throw new ConfigurationError(
      `The scripted reply is no reply of a model: a text, or { "text": …, "toolCalls": [{ "name": …, "args": … }] }. ${checked?.error?.issues[0]?.message ?? ''}`.trim(),
    )
  const { data } = checked
  const toolCalls = data.toolCalls.map((call, index) => ({
    ...call,
    id: call.id === '' ? `scripted-${index + 1}` : call.id,
  }))
  const reason = toolCalls.length > 0 ? 'tool-calls' : 'stop'
  const usage = given['usage'] === undefined ? noUsage : data.usage // nothing was paid
  return {
    ...data,
    toolCalls,
    usage,
    finishReason: given['finishReason'] === undefined ? reason : data.finishReason,
  }
}

// --- models ---------------------------------------------------------------------------------------------------------

type Answer = (request: ModelRequest, model: ChatModel, signal: AbortSignal) => Promise<ModelReply>

/**
 * The context whose agents have models that are answered for. Where functions are asked for, no output processor sees the answer as
 * it arrives: it is given as they leave it.
 */
function withModels(context: PerformContext, functions: DryFunctions, answer: Answer): PerformContext {
  const answeredFor = (model: ChatModel): ChatModel => {
    const { provider, modelId, accepts } = model
    return {
      provider,
      modelId,
      ...(accepts === undefined ? {} : { accepts }),
      generate: (request, { signal }) => answer(request, model, signal),
    }
  }
  const withAnswered = <Parts extends AgentParts>(parts: Parts): Parts =>
    changedAgent(parts, {
      model: answeredFor(parts.model),
      ...(parts.fallbacks === undefined ? {} : { fallbacks: parts.fallbacks.map(answeredFor) }),
    })
  const own: Partial<PerformContext> = {
    definition: (id) => withAnswered(context.definition(id)),
    parts: async (id) => withAnswered(await context.parts(id)),
    options: (scope, id) => {
      const given = context.options(scope, id)
      const options = functions === 'run' ? given : { ...given, outputProcessors: [] }
      const { compaction } = options
      return compaction?.model === undefined
        ? options
        : { ...options, compaction: { ...compaction, model: answeredFor(compaction.model) } }
    },
  }
  return new Proxy(context, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
