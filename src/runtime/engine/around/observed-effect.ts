/** An effect as wrappers see it. */
import type { EffectKind } from '../../../actors/effects/effect-names.ts'
import type { EffectRequest } from '../../../actors/effects/effect.ts'
import type {
  ChatModel,
  ModelCallOptions,
  ModelServer,
  SamplingSettings,
} from '../../../actors/chat-model.ts'
import type { AssistantMessage } from '../../../actors/message.ts'
import { bare } from '../../../actors/messages/provider-data.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import { Derived } from '../../../actors/values/derived.ts'
import { isRecord } from '../../../actors/values/json.ts'
import type { Clock } from '../../clock.ts'
import { Toolset } from '../../../actors/toolset/toolset.ts'

/** What a wrapper may know of the call of a model beside its request. */
export interface ObservedCall {
  /** As the model tells them. */
  readonly settings?: SamplingSettings
  readonly server?: ModelServer
  /** Whether the model is asked to stream its reply. */
  readonly streams: boolean
  /** Milliseconds from the call of the model to the first piece of its reply; absent: none has come. */
  readonly firstPieceAfter?: number
}

/** One performed effect of a run. */
export interface ObservedEffect {
  readonly kind: Exclude<EffectKind, 'signal' | 'timer'>
  /** Of the tool, hook, scorer, model, subagent or effect of an adapter. */
  readonly name?: string
  readonly runId: string
  /** The id of the agent that the effect works for. */
  readonly agent: string
  /** Ids of the actors from the root agent to the one that requests the effect, joined with "/"; as in events. */
  readonly path: string
  /** As in the journal: `path`, the id of the effect, and a count. Stable over replays and processes. */
  readonly key: string
  /** From 1; more where it repeats an effect that failed for now, or that the end of a process interrupted. */
  readonly attempt: number
  /** The delegation that the agent works for. */
  readonly delegationId?: string
  readonly conversationId?: string
  /** The W3C trace context with which the run was started, or resumed here. */
  readonly traceparent?: string
  /** The W3C tracestate beside it. */
  readonly tracestate?: string
  /** The request, by kind: for example the `model` and `messages` of a model call, the `args` of a tool. */
  readonly input: Readonly<Record<string, unknown>>
  /** The call of the model, as it is now; `undefined`: none has begun, or the effect calls no model. */
  readonly call?: ObservedCall | undefined
}

/** The call of the model of one effect, which wrappers read while it goes on. */
export class CallUnderWay {
  /** `undefined`: none has begun. */
  seen: ObservedCall | undefined

  /** Begins a call: its options, which tell of the first piece. */
  begin(
    { settings, server }: ChatModel,
    options: ModelCallOptions,
    clock: Pick<Clock, 'now'>,
  ): ModelCallOptions {
    const { onDelta } = options
    const begun = clock.now()
    const call = {
      ...(settings === undefined ? {} : { settings }),
      ...(server === undefined ? {} : { server }),
      streams: onDelta !== undefined,
    }
    this.seen = call
    if (onDelta === undefined) return options
    const { signal, idempotencyKey } = options
    let isFirst = true
    return {
      signal,
      idempotencyKey,
      onDelta: (delta) => {
        if (isFirst) this.seen = { ...call, firstPieceAfter: Math.max(clock.now() - begun, 0) }
        isFirst = false
        onDelta(delta)
      },
    }
  }
}

/**
 * Returns the request as plain data: lists in place of logs, the names of tools in place of toolsets, messages without
 * the data of their provider.
 */
export function plainInput({ input }: Pick<EffectRequest, 'input'>): Readonly<Record<string, unknown>> {
  return plain(input, 2) as Readonly<Record<string, unknown>>
}

function plain(value: unknown, depth: number): unknown {
  if (value instanceof AppendLog) return value.toArray().map(shown)
  if (Array.isArray(value)) return value.map(shown)
  if (value instanceof Toolset) return value.names
  if (depth === 0 || !isRecord(value)) return value
  const parts = Object.entries(value).filter(([, part]) => !(part instanceof Derived))
  return Object.fromEntries(parts.map(([name, part]) => [name, plain(part, depth - 1)]))
}

function shown(item: unknown): unknown {
  return isRecord(item) && item['role'] === 'assistant' ? bare(item as object as AssistantMessage) : item
}
