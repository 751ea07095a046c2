/**
 * The spans of effects: `chat` for calls of models, `plan` around those that make plans, `execute_tool` for calls of tools, and
 * `perform_effect` for the effects of adapters.
 */
import type { Around, Message, ModelReply, ObservedEffect, Usage } from '../index.ts'
import { isChild, isRecord, lastId } from '../kit/index.ts'
import { context, SpanKind, trace, type Attributes, type Context, type Span } from '@opentelemetry/api'
import type { AgentSpans, Telemetry } from './agent-spans.ts'
import { finishReasonOf, instructionsText, messagesText, replyText } from './content.ts'
import { threw } from './failure.ts'
import { stopwatch, type TokenInstruments } from './instruments.ts'
import { answererOf, callOf, recordFirstPiece, responseOf, serverOf } from './model-call.ts'
import { attribute, operation, performingEffect, type Operation } from './names.ts'

type Perform = Parameters<Around>[1]

export class EffectSpans {
  readonly #telemetry: Telemetry
  readonly #agents: AgentSpans

  constructor(telemetry: Telemetry, agents: AgentSpans) {
    this.#telemetry = telemetry
    this.#agents = agents
  }

  /** Performs the effect in the context of its span, or of its agent's where the conventions have no span for it. */
  async around(effect: ObservedEffect, perform: Perform): Promise<void> {
    const within = this.#agents.contextAt(effect)
    switch (effect.kind) {
      case 'model':
        return isPlanning(effect) ? this.#plan(effect, perform, within) : this.#chat(effect, perform, within)
      case 'compaction':
        return this.#chat(effect, perform, within)
      case 'tool':
        return this.#tool(effect, perform, within)
      case 'custom':
        return this.#own(effect, perform, within)
      case 'hook':
      case 'scorer':
      case 'memory':
      case 'config':
      case 'agent':
      case 'remote':
        await context.with(within, perform)
    }
  }

  async #plan(effect: ObservedEffect, perform: Perform, within: Context): Promise<void> {
    const span = this.#start(operation.plan, effect.agent, SpanKind.INTERNAL, effect, within)
    try {
      await this.#chat(effect, perform, trace.setSpan(within, span))
    } catch (error) {
      threw(span, error, 'MODEL_FAILED')
      throw error
    } finally {
      span.end()
    }
  }

  async #chat(effect: ObservedEffect, perform: Perform, within: Context): Promise<void> {
    const { tokens, inferenceDuration, timeToFirstChunk } = this.#telemetry.instruments()
    const { provider, model } = modelOf(effect.name)
    const named: Attributes = {
      [attribute.providerName]: provider,
      [attribute.requestModel]: model,
    }
    const span = this.#start(operation.chat, model, SpanKind.CLIENT, effect, within, {
      ...named,
      ...(effect.input['responseFormat'] === undefined ? {} : { [attribute.outputType]: 'json' }),
      ...this.#prompt(effect),
    })
    const asked: Attributes = { [attribute.operationName]: operation.chat, ...named }
    const stop = stopwatch(inferenceDuration)
    this.#agents.called(effect, 'inference')
    try {
      const reply: unknown = await context.with(trace.setSpan(within, span), perform)
      const measured = { ...asked, ...serverOf(effect), ...answererOf(reply) }
      stop(measured)
      setTokens(span, reply)
      recordTokens(tokens, reply, measured)
      recordFirstPiece(timeToFirstChunk, effect, measured)
      if (isReply(reply)) this.#answered(span, reply)
    } catch (error) {
      const measured = { ...asked, ...serverOf(effect) }
      const failed = { ...measured, [attribute.errorType]: threw(span, error, 'MODEL_FAILED') }
      stop(failed)
      recordTokens(tokens, undefined, failed)
      recordFirstPiece(timeToFirstChunk, effect, measured)
      throw error
    } finally {
      span.setAttributes(callOf(effect))
      span.end()
    }
  }

  async #tool(effect: ObservedEffect, perform: Perform, within: Context): Promise<void> {
    const { hasContent, instruments } = this.#telemetry
    const { name = '', agent, input } = effect
    const callId = input['callId']
    const named: Attributes = { [attribute.toolName]: name, [attribute.toolType]: 'function' }
    const span = this.#start(operation.executeTool, name, SpanKind.INTERNAL, effect, within, {
      ...named,
      ...(typeof callId === 'string' ? { [attribute.toolCallId]: callId } : {}),
      ...(hasContent ? { [attribute.toolArguments]: JSON.stringify(input['args'] ?? null) } : {}),
    })
    const measured = { ...named, [attribute.agentName]: agent }
    const stop = stopwatch(instruments().toolDuration)
    this.#agents.called(effect, 'tool')
    try {
      const result: unknown = await context.with(trace.setSpan(within, span), perform)
      stop(measured)
      if (!isRecord(result)) return
      if (result['type'] === 'suspended') span.setAttribute(attribute.outcome, 'suspended')
      else if (hasContent) span.setAttribute(attribute.toolResult, JSON.stringify(result['value'] ?? null))
    } catch (error) {
      stop({ ...measured, [attribute.errorType]: threw(span, error, 'TOOL_FAILED') })
      throw error
    } finally {
      span.end()
    }
  }

  /** An effect of an adapter: what it does is not known here, so it counts as no call. */
  async #own(effect: ObservedEffect, perform: Perform, within: Context): Promise<void> {
    const { kind, name = '' } = effect
    const attributes = { ...placeOf(effect), [attribute.effectKind]: kind, [attribute.effectName]: name }
    const options = { kind: SpanKind.INTERNAL, attributes }
    const span = this.#telemetry.tracer().startSpan(`${performingEffect} ${name}`, options, within)
    try {
      await context.with(trace.setSpan(within, span), perform)
    } catch (error) {
      threw(span, error, 'EFFECT_FAILED')
      throw error
    } finally {
      span.end()
    }
  }

  #start(
    name: Operation,
    subject: string,
    kind: SpanKind,
    effect: ObservedEffect,
    within: Context,
    more: Attributes = {},
  ): Span {
    const attributes = { [attribute.operationName]: name, ...placeOf(effect), ...more }
    return this.#telemetry.tracer().startSpan(`${name} ${subject}`, { kind, attributes }, within)
  }

  #prompt({ input }: ObservedEffect): Attributes {
    const messages = this.#telemetry.hasContent ? input['messages'] : undefined
    if (!Array.isArray(messages)) return {}
    const instructions = instructionsText(messages as Message[])
    return {
      ...(instructions === undefined ? {} : { [attribute.systemInstructions]: instructions }),
      [attribute.inputMessages]: messagesText(messages as Message[]),
    }
  }

  #answered(span: Span, reply: ModelReply): void {
    span.setAttribute(attribute.finishReasons, [finishReasonOf(reply.finishReason)])
    span.setAttributes(responseOf(reply))
    if (this.#telemetry.hasContent) span.setAttribute(attribute.outputMessages, replyText(reply))
  }
}

/** Where the effect is performed. */
function placeOf({ runId, agent, path, attempt, conversationId }: ObservedEffect): Attributes {
  return {
    [attribute.agentName]: agent,
    ...(conversationId === undefined ? {} : { [attribute.conversationId]: conversationId }),
    [attribute.runId]: runId,
    [attribute.path]: path,
    ...(attempt === 1 ? {} : { [attribute.attempt]: attempt }),
  }
}

type Count = 'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens'

const onSpan: Readonly<Record<Count, string>> = {
  inputTokens: attribute.inputTokens,
  outputTokens: attribute.outputTokens,
  cachedInputTokens: attribute.cacheReadTokens,
  cacheWriteTokens: attribute.cacheWriteTokens,
  reasoningTokens: attribute.reasoningTokens,
}

/** Sets the counts that a reply reports on the span of its call. */
function setTokens(span: Span, reply: unknown): void {
  const usage = usageOf(reply)
  for (const [name, key] of Object.entries(onSpan)) {
    const count = usage[name as Count]
    if (typeof count === 'number') span.setAttribute(key, count)
  }
}

/**
 * Records the counts of a call, 0 for those that are not reported: a call that failed counts as one. Providers do not
 * report text, images and sound alike, so the modality is unknown.
 */
function recordTokens(tokens: TokenInstruments, reply: unknown, attributes: Attributes): void {
  const { [attribute.errorType]: _error, ...rest } = attributes
  const counted: Attributes = { ...rest, [attribute.tokenModality]: 'unknown' }
  const usage = usageOf(reply)
  const { inputTokens = 0, outputTokens = 0 } = usage
  tokens.input.add(inputTokens, counted)
  tokens.output.add(outputTokens, counted)
  tokens.cacheRead.add(usage.cachedInputTokens ?? 0, counted)
  tokens.cacheWrite.add(usage.cacheWriteTokens ?? 0, counted)
  tokens.reasoning.add(usage.reasoningTokens ?? 0, counted)
  tokens.inputOfCall.record(inputTokens, attributes)
  tokens.outputOfCall.record(outputTokens, attributes)
}

/** The engine has read the usage of the reply: its counts are numbers. */
function usageOf(reply: unknown): Partial<Pick<Usage, Count>> {
  return isRecord(reply) && isRecord(reply['usage']) ? reply['usage'] : {}
}

/** The names of the conventions, where they differ from those that models have here. */
const names: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  'google-generative-ai': 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  xai: 'x_ai',
}

interface ModelName {
  readonly provider: string
  readonly model: string
}

/** `name`: `<provider>/<model>`. The AI SDK names an API after its provider, as in `anthropic.messages`. */
function modelOf(name = ''): ModelName {
  const end = name.indexOf('/')
  const provider = name.slice(0, Math.max(end, 0))
  const [first = provider, second] = provider.split('.')
  const known = names[`${first}-${second}`] ?? names[second === 'vertex' ? 'vertex' : first]
  return { provider: known ?? first, model: name.slice(end + 1) }
}

function isReply(reply: unknown): reply is ModelReply {
  return isRecord(reply) && typeof reply['finishReason'] === 'string' && typeof reply['text'] === 'string'
}

/** The call makes a plan, or revises one. */
function isPlanning({ path, input }: ObservedEffect): boolean {
  const format = input['responseFormat']
  return isChild(lastId(path), 'decision') && isRecord(format) && format['name'] === 'plan'
}
