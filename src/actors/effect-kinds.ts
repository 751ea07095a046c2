/**
 * The kinds of effects, each with the shape of what a machine asks for (`input`) and of what comes back
 * (`outcome`). Outcomes are JSON: they stand in the journal. Inputs may hold `AppendLog`s, which write
 * themselves as arrays. What comes from outside (replies of models, answers of hooks) is brought into its shape
 * by these schemas before it enters the journal; the rest is made by us, in these shapes.
 */
import { z } from 'zod'
import { AppendLog } from './values/append-log.ts'
import type { ErrorData } from '../errors.ts'
import { Toolset } from './toolset.ts'
import { copyAsJson, isRecord, type JsonValue } from './values/json.ts'
import type { Message } from './message.ts'
import type { Tripwire } from './processor.ts'
import { once } from './values/once.ts'
import { knownKeys, strictShape } from './strict/shape.ts'
import { reportedUsage, type Usage } from './usage.ts'

/** Made when the first of them is needed: describing them all takes longer than loading the rest of the library. */
export const effectSchemas = once(() => {
  const json: z.ZodType<JsonValue> = z.json()

  /** A driver of the user's may hand over dates, or fields that are undefined: they become JSON. No arguments are `{}`. */
  const args = z
    .unknown()
    .optional()
    .transform((value, context) => {
      const copy = copyAsJson(value === undefined ? {} : value, 'args')
      if (copy.ok) return copy.value
      context.addIssue({ code: 'custom', message: copy.problem })
      return z.NEVER
    })

  const toolCall = z.object({
    id: z.string().catch(''),
    name: z.string(),
    args,
    malformed: z.string().optional(),
  })

  const usage: z.ZodType<Usage> = z.unknown().optional().transform(reportedUsage)

  /** What a model may leave out is filled in; what it gives is checked. */
  const modelReply = z.object({
    text: z.string().catch(''),
    reasoning: z.string().optional(),
    toolCalls: z
      .array(toolCall)
      .nullish()
      .transform((calls) => calls ?? []),
    finishReason: z
      .enum(['stop', 'tool-calls', 'length', 'content-filter', 'refusal', 'unknown'])
      .catch('unknown'),
    usage,
  })

  const messages = {
    system: z.object({ role: z.literal('system'), content: z.string() }),
    user: z.object({
      role: z.literal('user'),
      content: z.string(),
      internal: z.enum(['feedback', 'notice', 'scoring']).optional(),
    }),
    assistant: z.object({
      role: z.literal('assistant'),
      content: z.string(),
      toolCalls: z.array(strictShape(toolCall.shape)).optional(),
    }),
    tool: z.object({
      role: z.literal('tool'),
      toolCallId: z.string(),
      toolName: z.string(),
      content: z.string(),
      isError: z.literal(true).optional(),
    }),
  } as const

  /** Of the user's functions: with the fields of its role, and no other. */
  const message = knownKeys((given) => {
    const role: unknown = Reflect.get(given, 'role')
    const found = Object.entries(messages).find(([name]) => name === role)
    return found && Object.keys(found[1].shape)
  }).pipe(z.discriminatedUnion('role', [messages.system, messages.user, messages.assistant, messages.tool]))

  const error = z.custom<ErrorData>(isRecord)
  const tripwire: z.ZodType<Tripwire> = z.object({
    processor: z.string(),
    reason: z.string(),
    retry: z.boolean(),
  })

  /** What became of one of a chain of processors: what it threw, or that it refused, is for the chart to weigh. */
  const chained = {
    /** The position of the next one to ask. */
    next: z.number(),
    failure: error.nullable(),
    tripwire: tripwire.nullable(),
  }

  /** What one processor may answer. */
  const processorAnswers = {
    processInput: z.array(message).min(1, 'at least one message is expected').nullish(),
    processOutput: z.string().nullish(),
    processOutputStream: z.string().nullish(),
  } as const

  const conversation = z.custom<AppendLog<Message>>(
    (value) => value instanceof AppendLog,
    'an AppendLog of messages',
  )
  /** Of an agent whose tools are made for each run: what they must be like. */
  const toolset = z.custom<Toolset>((value) => value instanceof Toolset, 'a Toolset').optional()

  /** Whose function is meant: the definition's, or the one given with this run's options. */
  const scope = z.enum(['agent', 'run'])

  const stepCount = z.number().int().positive()

  const names = z.array(z.string().min(1)).readonly()

  /** What of a message a thread keeps. */
  const remembered = z.object({
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    internal: z.enum(['feedback', 'notice', 'scoring']).optional(),
  })

  const recalled = z.object({
    /** Oldest first. */
    messages: z.array(remembered),
    /** What is noted about the resource. */
    workingMemory: z.string().nullable(),
  })

  const savedMessage = remembered.extend({ agent: z.string().optional() })

  /** Milliseconds that the effect may take; absent: any time. Kept by the door. */
  const timeout = z.number().positive().optional()
  /** Milliseconds that a function of the user's may take which answers as a part of the effect. */
  const hookTimeout = z.number().positive().optional()

  const thread = z.object({
    agent: z.string(),
    threadId: z.string(),
    resourceId: z.string().optional(),
    timeout,
  })

  const subagents = z.record(z.string(), z.object({ id: z.string(), description: z.string() }))

  const review = { feedback: z.string().optional(), resultText: z.string().optional() } as const
  /** What the user's function may answer; whether it bails, it says by a call. */
  const delegationReview = strictShape(review).nullish()

  /** What each user function may answer. One that may answer nothing counts then as one that has no objection. */
  const hookOutcomes = {
    onDelegationStart: strictShape({
      proceed: z.boolean().default(true),
      rejectionReason: z.string().optional(),
      modifiedPrompt: z.string().min(1).optional(),
      modifiedInstructions: z.string().optional(),
      modifiedMaxSteps: stepCount.optional(),
      modifiedToolGroups: names.optional(),
    }),
    messageFilter: z.array(message),
    onDelegationComplete: strictShape({ bail: z.boolean().default(false), ...review }),
    onIterationComplete: strictShape({
      continue: z.boolean().default(true),
      feedback: z.string().optional(),
    }),
    stopWhen: z.boolean(),
    onStepFinish: z.null(),
    onFinish: z.null(),
    onComplete: z.null(),
    requireApproval: z.boolean(),
    validateArguments: z.object({ problem: z.string().nullable() }),
    validateObject: z.object({ problem: z.string().nullable(), object: json }),
    configure: z.object({
      instructions: z.string(),
      /** Provider and model id. */
      model: z.string(),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), json),
          requireApproval: z.union([z.boolean(), z.literal('asks')]),
          approvalTimeout: z.number().optional(),
          timeout: z.number().optional(),
          onInterrupted: z.enum(['retry', 'ask', 'fail']),
          maxInterruptions: z.number().optional(),
          isWorkflow: z.literal(true).optional(),
          groups: names.optional(),
          applicableStates: names.optional(),
          nextState: z.string().optional(),
        }),
      ),
      agents: subagents,
      /** Those that the conversation may be handed to. */
      handoffs: subagents.optional(),
    }),
    /** What of the conversation goes with a handoff. */
    handoffFilter: z.array(message),
    /** `messages` is null where they are as they were. */
    processInput: z.object({ messages: z.array(message).nullable(), ...chained }),
    processOutput: z.object({ text: z.string(), ...chained }),
  } as const

  const effectKinds = {
    model: {
      input: z.object({
        agent: z.string(),
        /** Provider and model id. */
        model: z.string(),
        /** Which message of this agent the reply will be. */
        message: z.string(),
        messages: conversation,
        /** Digest of the tools on offer; `none` in a final turn. */
        tools: z.string(),
        toolChoice: z.enum(['auto', 'none']),
        /** By what the tools on offer were chosen, where these are not all that the agent has. */
        scope: z.object({ toolGroups: names.optional(), toolState: z.string() }).optional(),
        /** The last word of a run that has reached a cap: it is had in any case. */
        finalTurn: z.literal(true).optional(),
        /** A decision of a pattern, and no words of the agent: nobody is shown its deltas. */
        quiet: z.literal(true).optional(),
        responseFormat: z.object({ name: z.string(), schema: z.record(z.string(), json) }).optional(),
        /** Whose output processors look at the reply as it comes. */
        outputProcessors: scope.optional(),
        toolset,
        timeout,
        hookTimeout,
      }),
      outcome: modelReply.extend({
        /** What output processors had to say of the reply as it came, besides what they made of it. */
        screening: z.object({ failures: z.array(error), tripwire: tripwire.optional() }).optional(),
      }),
    },
    tool: {
      input: z.object({
        agent: z.string(),
        tool: z.string(),
        callId: z.string(),
        args: json,
        resumeData: json.optional(),
        toolset,
        timeout,
        hookTimeout,
        /** An attempt before was interrupted: this one is put on record, and begun, before another one is. */
        isAgain: z.literal(true).optional(),
      }),
      outcome: z.discriminatedUnion('type', [
        z.object({ type: z.literal('returned'), value: json }),
        z.object({ type: z.literal('suspended'), payload: json }),
        /**
         * It had started when the process ended, and nobody knows how far it came. Made by the engine. `isUncertain`: its
         * start is on record, but another call was begun before it, and the process may have ended there.
         */
        z.object({ type: z.literal('interrupted'), isUncertain: z.literal(true).optional() }),
      ]),
    },
    hook: {
      input: z.object({
        agent: z.string(),
        hook: z.enum(Object.keys(hookOutcomes) as (keyof typeof hookOutcomes)[]),
        scope,
        /** The plain data of the context that the function is called with. */
        data: z.record(z.string(), z.unknown()),
        timeout,
      }),
      outcome: json,
    },
    scorer: {
      input: z.object({
        agent: z.string(),
        scope,
        scorer: z.string(),
        task: z.string(),
        answer: z.string(),
        iteration: z.number(),
        messages: conversation,
        timeout,
      }),
      outcome: z.object({ score: z.number().min(0).max(1), reason: z.string().optional() }),
    },
    signal: {
      input: z.object({
        /** What `run.approve`, `run.deny` and `run.resume` name. */
        id: z.string(),
        type: z.enum(['approval', 'suspension', 'interruption']),
        agent: z.string(),
        toolName: z.string(),
        args: json,
        payload: json.optional(),
      }),
      outcome: z.object({ approved: z.boolean(), reason: z.string().optional(), data: json.optional() }),
    },
    memory: {
      input: z.discriminatedUnion('operation', [
        thread.extend({
          operation: z.literal('recall'),
          lastMessages: z.number().int().nonnegative(),
          workingMemory: z.boolean(),
        }),
        thread.extend({ operation: z.literal('save'), messages: z.array(savedMessage) }),
      ]),
      /** `null` of a save. */
      outcome: z.union([recalled, z.null()]),
    },
    /** A subagent that runs elsewhere. */
    agent: {
      input: z.discriminatedUnion('operation', [
        /** `request`: as its machine would have been given it here. */
        z.object({ operation: z.literal('run'), request: z.record(z.string(), z.unknown()) }),
        z.object({
          operation: z.literal('cancel'),
          agent: z.string(),
          path: z.string(),
          cause: z.enum(['cancel', 'timeout', 'bail']),
          reason: z.string().optional(),
        }),
      ]),
      /** What the agent ended with; `null` of a cancel: it is told, and still owes its outcome. */
      outcome: z.union([z.record(z.string(), json), z.null()]),
    },
    config: {
      input: z.object({ agent: z.string(), kinds: z.array(z.string()), timeout }),
      /** Items of these kinds, in the order in which they were first set. */
      outcome: z.object({ items: z.array(z.object({ kind: z.string(), key: z.string(), value: json })) }),
    },
    timer: {
      input: z.object({
        /** Milliseconds of logical time. */
        delay: z.number().nonnegative(),
        /** At most this much is added, by the key of the effect: jitter that replays alike. */
        spread: z.number().nonnegative().optional(),
        /** It runs while a person is waited for: a run that has nothing else to do is suspended all the same. */
        dormant: z.literal(true).optional(),
      }),
      outcome: z.null(),
    },
  } as const

  return {
    modelReply,
    delegationReview,
    processorAnswers,
    recalled,
    savedMessage,
    hookOutcomes,
    effectKinds,
  } as const
})

type Schemas = ReturnType<typeof effectSchemas>

export type Recalled = z.output<Schemas['recalled']>
export type SavedMessage = z.output<Schemas['savedMessage']>

export type HookName = keyof Schemas['hookOutcomes']
export type HookOutcome<Name extends HookName> = z.output<Schemas['hookOutcomes'][Name]>
export type ProcessorAnswer<Name extends keyof Schemas['processorAnswers']> = z.output<
  Schemas['processorAnswers'][Name]
>

export type EffectKind = keyof Schemas['effectKinds']
export type EffectInput<Kind extends EffectKind> = z.output<Schemas['effectKinds'][Kind]['input']>
export type EffectOutcome<Kind extends EffectKind> = z.output<Schemas['effectKinds'][Kind]['outcome']>
