/** Performs `model` effects. The reply of a model is untrusted: it is brought into shape, or refused. */
import { effectKinds, type EffectInput, type EffectOutcome } from '../../actors/effect-kinds.ts'
import { priced } from '../../actors/pricing.ts'
import { toolsetOfDigest } from '../../actors/working-memory.ts'
import { TerminalError } from '../../errors.ts'
import type { PerformContext } from './context.ts'

export async function performModel(
  input: EffectInput<'model'>,
  context: PerformContext,
): Promise<EffectOutcome<'model'>> {
  const { model, toolset } = context.definition(input.agent)
  const isFinalTurn = input.toolChoice === 'none'
  const reply: unknown = await model.generate(
    {
      messages: input.messages.toArray(),
      tools: isFinalTurn ? [] : toolsetOfDigest(toolset, input.tools).descriptions,
      toolChoice: input.toolChoice,
      ...(input.responseFormat === undefined ? {} : { responseFormat: input.responseFormat }),
    },
    // A getter, so that a model which has no use for a signal costs none.
    {
      get signal() {
        return context.signal
      },
      idempotencyKey: context.idempotencyKey,
      ...(context.onDelta === undefined ? {} : { onDelta: context.onDelta }),
    },
  )
  const checked = effectKinds.model.outcome.safeParse(reply)
  if (checked.success) {
    return { ...checked.data, usage: priced(checked.data.usage, input.model, context.prices) }
  }
  throw new TerminalError(
    `The model "${input.model}" gave no usable reply: ${checked.error.issues[0]?.message}`,
    {
      code: 'MODEL_REPLY_INVALID',
    },
  )
}
