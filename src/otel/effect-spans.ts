/** The spans of effects: `chat` for calls of models, `plan` around those that make plans, `execute_tool` for calls of tools. */
import { context, SpanKind, trace, type Attributes, type Context, type Span } from '@opentelemetry/api'
import type { ModelReply } from '../actors/chat-model.ts'
import { isChild, lastId } from '../actors/actor-path.ts'
import type { Message } from '../actors/message.ts'
import { isRecord } from '../actors/values/json.ts'
import type { Around } from '../runtime/engine/around/around.ts'
import type { ObservedEffect } from '../runtime/engine/around/observed-effect.ts'
import type { AgentSpans, Telemetry } from './agent-spans.ts'
import { finishReasonOf, instructionsText, messagesText, replyText } from './content.ts'
import { threw } from './failure.ts'
import { stopwatch } from './instruments.ts'
import { attribute, operation, type Operation } from './names.ts'
import { modelOf } from './provider.ts'
import { recordTokens, setTokens } from './token-counts.ts'

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
    const within = this.#agents.contextAt(effect.runId, effect.path, effect.traceparent)
    switch (effect.kind) {
      case 'model':
        return isPlanning(effect) ? this.#plan(effect, perform, within) : this.#chat(effect, perform, within)
      case 'compaction':
        return this.#chat(effect, perform, within)
      case 'tool':
        return this.#tool(effect, perform, within)
      case 'hook':
      case 'scorer':
      case 'memory':
      case 'config':
      case 'agent':
      case 'remote':
      case 'custom':
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
    const { tokens, inferenceDuration } = this.#telemetry.instruments()
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
    const measured: Attributes = { [attribute.operationName]: operation.chat, ...named }
    const stop = stopwatch(inferenceDuration)
    this.#agents.called(effect, 'inference')
    try {
      const reply: unknown = await context.with(trace.setSpan(within, span), perform)
      stop(measured)
      setTokens(span, reply)
      recordTokens(tokens, reply, measured)
      if (isReply(reply)) this.#answered(span, reply)
    } catch (error) {
      const failed = { ...measured, [attribute.errorType]: threw(span, error, 'MODEL_FAILED') }
      stop(failed)
      recordTokens(tokens, undefined, failed)
      throw error
    } finally {
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

  #start(
    name: Operation,
    subject: string,
    kind: SpanKind,
    { runId, agent, path, attempt, conversationId }: ObservedEffect,
    within: Context,
    more: Attributes = {},
  ): Span {
    const attributes = {
      [attribute.operationName]: name,
      [attribute.agentName]: agent,
      ...(conversationId === undefined ? {} : { [attribute.conversationId]: conversationId }),
      [attribute.runId]: runId,
      [attribute.path]: path,
      ...(attempt === 1 ? {} : { [attribute.attempt]: attempt }),
      ...more,
    }
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
    if (this.#telemetry.hasContent) span.setAttribute(attribute.outputMessages, replyText(reply))
  }
}

function isReply(reply: unknown): reply is ModelReply {
  return isRecord(reply) && typeof reply['finishReason'] === 'string' && typeof reply['text'] === 'string'
}

/** The call makes a plan, or revises one. */
function isPlanning({ path, input }: ObservedEffect): boolean {
  const format = input['responseFormat']
  return isChild(lastId(path), 'decision') && isRecord(format) && format['name'] === 'plan'
}
