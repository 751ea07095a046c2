/** Performs `model` effects. The reply of a model is untrusted: it is normalized, or refused. */
import type { ModelCallOptions, ModelRequest } from '../../../actors/chat-model.ts'
import { effectSchemas, type EffectInput, type EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { OutputProcessor } from '../../../actors/processor.ts'
import { priced, type PriceTable } from '../../../actors/pricing.ts'
import { withSafeListeners } from '../../../actors/values/safe-signal.ts'
import { withSignal } from '../../../actors/values/own-getters.ts'
import { wellFormed } from '../../../actors/values/well-formed.ts'
import { readableFor, signed } from '../../../actors/messages/provider-data.ts'
import type { Toolset } from '../../../actors/toolset/toolset.ts'
import {
  stricterThan,
  wholePlan,
  type CallReader,
  type CallVerdict,
  type ToolCall,
} from '../../../actors/message.ts'
import type { AgentDefinition } from '../../definition/definition.ts'
import { modelIn, modelName } from '../../definition/models.ts'
import { namesFiles } from '../../../actors/toolset/delegation-args.ts'
import { toolsetOfDigest } from '../../../actors/toolset/working-memory.ts'
import { TerminalError, toErrorData } from '../../../errors.ts'
import { keptFile, putInTime } from '../../files/kept-content.ts'
import { sentMessages } from '../../files/sent-messages.ts'
import { nextTurn } from '../../environment.ts'
import { accepted, checkedByNew, strictestOf } from './model-today.ts'
import { calledOf, livePartsInTime, missing } from './live-parts.ts'
import type { PerformContext } from './context.ts'
import { listenerThrew } from './deed.ts'
import { ReplyScreen } from './reply-screen.ts'
import type { SpokenSoFar } from './spoken-so-far.ts'
import { isRefusalCode } from '../../../actors/models/fallbacks.ts'

type ModelInput = EffectInput<'model'>

export async function performModel(
  input: ModelInput,
  context: PerformContext,
): Promise<EffectOutcome<'model'>> {
  const { definition, added } = strictestOf(input, context)
  context.spoken?.forget()
  const parts = await livePartsInTime(input, context)
  const { toolset } = parts
  const model = modelIn(parts, input.fallback)
  const name = modelName(model)
  context.calls(calledOf(parts, input, context))
  const offered = toolsetOfDigest(toolset, input.tools, input.scope)
  const messages = await sentMessages(readableFor(model, input.messages.toArray()), context, {
    model,
    timeout: input.hookTimeout,
    named: offered.subagents.size > 0,
  })
  const request: ModelRequest = {
    messages: messages.map((message) => wellFormed(message)),
    tools: input.toolChoice === 'none' ? [] : wellFormed(offered.descriptions),
    toolChoice: input.toolChoice,
    ...(input.responseFormat === undefined ? {} : { responseFormat: input.responseFormat }),
  }
  const call = async (options: ModelCallOptions): Promise<EffectOutcome<'model'>> =>
    signed(
      await withKeptFiles(
        replyOf(
          await model.generate(request, context.observed(model, options)),
          { ...input, model: name },
          context.prices,
          {
            definition,
            recorded: input.toolset,
            offered,
          },
        ),
        input,
        context,
      ),
      model,
    )
  if (input.outputProcessors !== undefined) {
    const { outputProcessors } = context.options(input.outputProcessors, input.agent)
    const reply = await screened(call, outputProcessors ?? missing('processOutput'), input, context)
    return added.length === 0 ? reply : checkedByNew(reply, added, input, context)
  }
  if (added.length > 0) {
    return accepted(await checkedByNew(await screened(call, added, input, context), added, input, context))
  }
  const { idempotencyKey, onDelta, spoken } = context
  if (input.keepsPartial === true && spoken !== undefined) return noted(call, spoken, context)
  return call(withSignal({ idempotencyKey, ...(onDelta === undefined ? {} : { onDelta }) }, context))
}

/** Makes a call whose text so far is kept, for the case that it is cut. That of a refused answer is not. */
async function noted(
  call: (options: ModelCallOptions) => Promise<EffectOutcome<'model'>>,
  spoken: SpokenSoFar,
  context: PerformContext,
): Promise<EffectOutcome<'model'>> {
  const { idempotencyKey, onDelta } = context
  try {
    const reply = await call(withSignal({ idempotencyKey, onDelta: spoken.begin(onDelta) }, context))
    spoken.forget()
    return reply
  } catch (error) {
    if (isRefusalCode(toErrorData(error).code)) spoken.forget()
    throw error
  }
}

/**
 * Makes a call whose reply goes through output processors as it arrives; when a processor refuses, the call is aborted.
 */
async function screened(
  call: (options: ModelCallOptions) => Promise<EffectOutcome<'model'>>,
  processors: readonly OutputProcessor[],
  input: ModelInput,
  context: PerformContext,
): Promise<EffectOutcome<'model'>> {
  const { clock, environment, idempotencyKey, onDelta, signal } = context
  const limit = { clock, timeout: input.hookTimeout }
  const screen = new ReplyScreen(processors, onDelta, context.failed.bind(context), limit)
  const controller = new AbortController()
  const options = {
    signal: withSafeListeners(AbortSignal.any([signal, controller.signal]), (thrown) =>
      context.misused(listenerThrew, thrown),
    ),
    idempotencyKey,
    ...(onDelta === undefined ? {} : { onDelta: screen.take.bind(screen) }),
  }
  const replied = (async () => screen.finish(await call(options)))()
  const refused = screen.refusal.then(async (reply) => {
    controller.abort()
    await nextTurn(environment) // a call that ends by the abort reports its usage
    return reply
  })
  try {
    return await Promise.race([replied, refused])
  } catch (error) {
    if (screen.hasRefused) return refused // the call was aborted, so it failed
    throw error
  }
}

/** The reply with references in the place of the bytes of its files. */
async function withKeptFiles(
  reply: EffectOutcome<'model'>,
  { hookTimeout }: ModelInput,
  context: PerformContext,
): Promise<EffectOutcome<'model'>> {
  if (reply.files === undefined || reply.files.length === 0) return reply
  const kept = reply.files.map(keptFile)
  const files = kept.map(({ file }) => file)
  await putInTime(
    kept.flatMap((file) => file.blobs),
    context,
    hookTimeout,
  )
  return { ...reply, files }
}

interface Judges {
  readonly definition: AgentDefinition
  /** Set where functions of the run make the tools. */
  readonly recorded: Toolset | undefined
  readonly offered: Toolset
}

/** The verdicts on the calls of a reply: an edit of a schema or of a policy does not change the fate of a call. */
function verdictsOn(calls: ReturnType<CallReader>, judges: Judges): Pick<EffectOutcome<'model'>, 'verdicts'> {
  if (calls.length === 0) return {}
  const verdicts = calls.flatMap((call): readonly (CallVerdict | null)[] => {
    if (call?.name === wholePlan) return verdictOnPlan(judges)
    return [call === undefined ? null : verdictOn(call, judges)]
  })
  return verdicts.every((verdict) => verdict === null) ? {} : { verdicts }
}

/** `null`: the chart, or an effect of its own, checks the call by what is on record. */
function verdictOn(call: ToolCall, { definition, recorded, offered }: Judges): CallVerdict | null {
  if (offered.subagent(call.name) !== undefined) {
    const requireApproval = stricterDelegation(definition)
    if (requireApproval === undefined && !namesFiles(call)) return null
    return {
      ...(requireApproval === undefined ? {} : { requireApproval }),
      ...(namesFiles(call) ? { namesFiles: true } : {}),
    }
  }
  if (recorded === undefined) return offered.verdictOn(call)
  const requireApproval = offered.stricterThan(recorded.whole, call.name)
  return requireApproval === undefined ? null : { requireApproval, isUnchecked: true }
}

/** A plan has a verdict only where the definition of today is stricter. */
function verdictOnPlan({
  definition: { settings, settingsToday = settings },
}: Judges): readonly CallVerdict[] {
  const requireApproval = stricterThan(settings.approvePlan ?? false, settingsToday.approvePlan ?? false)
  return requireApproval === undefined ? [] : [{ requireApproval }]
}

/** The policy of delegations as the definition of today has it, where it is stricter than the recorded policy. */
function stricterDelegation({ settings, settingsToday = settings }: AgentDefinition) {
  const [before = false, now = false] = [settings, settingsToday].map(
    ({ delegation }) => delegation?.requireApproval,
  )
  return stricterThan(before, now)
}

function replyOf(
  reply: unknown,
  { model, toolChoice, calls }: ModelInput,
  prices: PriceTable | undefined,
  judges: Judges,
): EffectOutcome<'model'> {
  const checked = effectSchemas().modelReply.safeParse(reply)
  if (checked.success) {
    const { response, ...data } = checked.data
    const usage = priced(data.usage, model, prices)
    // A call of a tool that was not offered would stay unanswered, and no server takes such a conversation.
    const called =
      toolChoice === 'none'
        ? { toolCalls: [], ...verdictsOn(calls?.(data.text) ?? [], judges) }
        : verdictsOn(data.toolCalls, judges)
    return { ...data, ...(response === undefined ? {} : { response }), ...called, usage }
  }
  throw new TerminalError(`The model "${model}" gave no usable reply: ${checked.error.issues[0]?.message}`, {
    code: 'MODEL_REPLY_INVALID',
  })
}
