/** Performs `compaction` effects: a model, or a function of the user's, summarises messages of a conversation. */
import { effectSchemas, type EffectInput, type EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { ChatModel, ModelRequest } from '../../../actors/chat-model.ts'
import { transcriptOf } from '../../../actors/messages/transcript.ts'
import { withSignal } from '../../../actors/values/own-getters.ts'
import { wellFormed } from '../../../actors/values/well-formed.ts'
import { priced } from '../../../actors/pricing.ts'
import { noUsage } from '../../../actors/usage.ts'
import { TerminalError } from '../../../errors.ts'
import { modelIn, modelName } from '../../definition/models.ts'
import { calledOf, livePartsInTime, missing } from './live-parts.ts'
import type { PerformContext } from './context.ts'

type CompactionInput = EffectInput<'compaction'>
type Summary = EffectOutcome<'compaction'>

export async function performCompaction(input: CompactionInput, context: PerformContext): Promise<Summary> {
  if (input.model === undefined) return summarizedBy(input, context)
  const model = await modelOf(input, context)
  const { signal, idempotencyKey } = context
  const options = context.observed(model, { signal, idempotencyKey })
  const reply: unknown = await model.generate(wellFormed(requestOf(input)), options)
  const checked = effectSchemas().modelReply.safeParse(reply)
  if (!checked.success) {
    throw new TerminalError(`The model "${input.model}" gave no usable summary.`, {
      code: 'MODEL_REPLY_INVALID',
    })
  }
  const { text, finishReason, usage } = checked.data
  const isRefusal = finishReason === 'refusal' || finishReason === 'content-filter'
  return { text: isRefusal ? '' : text, usage: priced(usage, modelName(model), context.prices) }
}

async function summarizedBy(
  { agent, scope, ...input }: CompactionInput,
  context: PerformContext,
): Promise<Summary> {
  const { compaction } = context.options(scope ?? 'agent', agent)
  const summarize = compaction?.summarize ?? missing('compaction.summarize')
  const given = {
    runId: context.runId,
    agentId: agent,
    task: input.task,
    messages: input.messages.toArray(),
    maxWords: input.words,
  }
  const text: unknown = await summarize(withSignal(given, context))
  if (typeof text === 'string') return { text, usage: noUsage }
  throw new TerminalError(`compaction.summarize of the agent "${agent}" must answer with a text.`, {
    code: 'INVALID_HOOK_RESULT',
  })
}

async function modelOf(input: CompactionInput, context: PerformContext): Promise<ChatModel> {
  if (input.scope === undefined) {
    const parts = await livePartsInTime(input, context)
    context.calls(calledOf(parts, input, context))
    return modelIn(parts, input.fallback)
  }
  const { compaction } = context.options(input.scope, input.agent)
  return compaction?.model ?? missing('compaction.model')
}

/** The messages are one text: so the calls and results among them need no tools, and belong to no provider. */
function requestOf({ messages, characters, task, words }: CompactionInput): ModelRequest {
  const transcript = transcriptOf(messages.toArray(), characters)
  return {
    messages: [
      { role: 'system', content: instructions(words) },
      {
        role: 'user',
        content: `The task of the agent:\n${task}\n\nThe messages to summarise:\n\n${transcript}`,
      },
    ],
    tools: [],
    toolChoice: 'none',
  }
}

function instructions(words: number): string {
  return [
    'You summarise the earlier part of a conversation between an agent, its user and its tools.',
    'Your summary replaces these messages: the agent goes on with the task and does not see them again.',
    'Keep the facts, names, numbers, identifiers and results that the task may still need, the decisions that were made, what has been tried and failed, and what is still to be done.',
    'Leave out greetings, repetitions, and the wording of calls. Do not answer the task, and add nothing of your own.',
    `Write at most ${words} words of plain text.`,
  ].join('\n')
}
