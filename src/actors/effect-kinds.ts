/**
 * The kinds of effects, each with the shape of a machine's request (`input`) and of its result (`outcome`).
 * Outcomes are JSON: they are journaled. Inputs may hold `AppendLog`s, which serialise as arrays. These schemas
 * bring values from outside (replies of models, answers of hooks) into shape before they enter the journal; the
 * library makes all others in these shapes.
 */
import { z } from 'zod'
import { AppendLog } from './values/append-log.ts'
import type { EffectKind, HookName } from './effect-names.ts'
import type { CalledModel, ErrorData } from '../errors.ts'
import { Toolset } from './toolset.ts'
import { contentSchema, filePartSchema, sourceSchema } from './content/content-schema.ts'
import { isRecord, type JsonValue } from './values/json.ts'
import { copyAsJson } from './values/to-json.ts'
import { readResponse, type ModelResponse } from './chat-model.ts'
import type { CallReader, Message } from './message.ts'
import type { SuspensionAnswer } from './tool.ts'
import { remoteEffect } from './remote/remote-effects.ts'
import type { Tripwire } from './processor.ts'
import { once } from './values/once.ts'
import { knownKeys, strictShape } from './strict/shape.ts'
import { reportedUsage, type Usage } from './usage.ts'

/** Made when the first schema is needed: describing them all takes longer than loading the rest of the library. */
export const effectSchemas = once(() => {
  const json: z.ZodType<JsonValue> = z.json()

  /** A user's driver may pass dates, or fields that are undefined: they become JSON. Absent arguments are `{}`. */
  const args = z
    .unknown()
    .optional()
    .transform((value, context) => {
      const copy = copyAsJson(value === undefined ? {} : value, 'args')
      if (copy.ok) return copy.value
      context.addIssue({ code: 'custom', message: copy.problem })
      return z.NEVER
    })

  /** Made by a driver: it becomes JSON as arguments do. */
  const providerData = z
    .unknown()
    .transform((value, context) => {
      const copy = copyAsJson(value, 'providerData')
      if (copy.ok) return copy.value
      context.addIssue({ code: 'custom', message: copy.problem })
      return z.NEVER
    })
    .optional()

  const toolCall = z.object({
    id: z.string().catch(''),
    name: z.string(),
    args,
    malformed: z.string().optional(),
    providerData,
  })

  const content = contentSchema()
  const files = z.array(filePartSchema()).readonly()

  const response: z.ZodType<ModelResponse | undefined> = z.unknown().optional().transform(readResponse)

  const usage: z.ZodType<Usage> = z.unknown().optional().transform(reportedUsage)

  /** Fills in the fields that a model may leave out, and checks those that it gives. */
  const modelReply = z.object({
    text: z.string().catch(''),
    reasoning: z.string().optional(),
    files: files.optional(),
    sources: z.array(sourceSchema()).readonly().optional(),
    toolCalls: z
      .array(toolCall)
      .nullish()
      .transform((calls) => calls ?? []),
    providerCalls: z
      .array(z.object({ name: z.string(), args, isError: z.literal(true).optional() }))
      .readonly()
      .optional(),
    finishReason: z
      .enum(['stop', 'tool-calls', 'length', 'content-filter', 'refusal', 'unknown'])
      .catch('unknown'),
    usage,
    response: response.optional(),
    keepReasoning: z.literal(true).optional(),
    providerData,
  })

  const verdict = z.object({
    problem: z.string().optional(),
    requireApproval: z.union([z.literal(true), z.literal('asks')]).optional(),
    isUnchecked: z.literal(true).optional(),
    namesFiles: z.literal(true).optional(),
  })

  const messages = {
    system: z.object({ role: z.literal('system'), content: z.string() }),
    user: z.object({
      role: z.literal('user'),
      content,
      internal: z.enum(['feedback', 'notice', 'said', 'scoring', 'summary']).optional(),
    }),
    assistant: z.object({
      role: z.literal('assistant'),
      content,
      toolCalls: z.array(strictShape(toolCall.shape)).optional(),
      reasoning: z.string().optional(),
      provider: z.string().optional(),
      providerData,
    }),
    tool: z.object({
      role: z.literal('tool'),
      toolCallId: z.string(),
      toolName: z.string(),
      content,
      isError: z.literal(true).optional(),
    }),
  } as const

  /** A message from a user's function: it has the fields of its role, and no other. */
  const message = knownKeys((given) => {
    const role: unknown = Reflect.get(given, 'role')
    const found = Object.entries(messages).find(([name]) => name === role)
    return found && Object.keys(found[1].shape)
  }).pipe(z.discriminatedUnion('role', [messages.system, messages.user, messages.assistant, messages.tool]))

  const toolChoice = z.union([
    z.enum(['auto', 'none', 'required']),
    z.object({ tool: z.string() }).readonly(),
  ])

  const error = z.custom<ErrorData>(isRecord)
  const tripwire: z.ZodType<Tripwire> = z.object({
    processor: z.string(),
    reason: z.string(),
    retry: z.boolean(),
  })

  /** The result of one processor in a chain: the chart decides on its failure or refusal. */
  const chained = {
    /** The position of the next processor to ask. */
    next: z.number(),
    failure: error.nullable(),
    tripwire: tripwire.nullable(),
  }

  /** The answers that one processor may give. */
  const processorAnswers = {
    processInput: z.array(message).min(1, 'at least one message is expected').nullish(),
    processOutput: z.string().nullish(),
    processOutputStream: z.string().nullish(),
  } as const

  const conversation = z.custom<AppendLog<Message>>(
    (value) => value instanceof AppendLog,
    'an AppendLog of messages',
  )
  /** The toolset that the tools must match; set for an agent whose tools are made for each run. */
  const toolset = z.custom<Toolset>((value) => value instanceof Toolset, 'a Toolset').optional()

  /** Where the function is given: in the definition of the agent, or in the options of this run. */
  const scope = z.enum(['agent', 'run'])

  const stepCount = z.number().int().positive()

  /** The model that was called, where its agent has several: a later edit of the row does not change the record. */
  const called: z.ZodType<CalledModel | undefined> = z
    .object({ model: z.string(), next: z.string().optional() })
    .optional()

  const names = z.array(z.string().min(1)).readonly()

  /** The part of a message that a thread keeps. */
  const remembered = z.object({
    role: z.enum(['user', 'assistant']),
    content,
    internal: z.enum(['feedback', 'notice', 'said', 'scoring', 'partial']).optional(),
  })

  const recalled = z.object({
    /** Oldest first. */
    messages: z.array(remembered),
    /** The note on the resource. */
    workingMemory: z.string().nullable(),
    /** The agent that holds the conversation, where it was asked for and is another one. */
    holder: z.string().optional(),
  })

  /** `holder`: the agent that held the conversation, where another one has written the message. */
  const savedMessage = remembered.extend({ agent: z.string().optional(), holder: z.string().optional() })

  const passage = z.object({
    id: z.string(),
    text: z.string(),
    source: z.string().optional(),
    score: z.number().optional(),
  })

  /** The text so far of an answer that was cut. */
  const cut = z.object({ partialText: z.string() })

  /** The place of the model among those that the agent has in a row, from 1; absent: it is the first. */
  const fallback = z.number().int().positive().optional()

  /** The groups, the state and the found tools by which the tools on offer were chosen. */
  const toolScope = z.object({
    toolGroups: names.optional(),
    toolState: z.string(),
    foundTools: names.optional(),
  })

  /** Timeout of the effect in milliseconds; absent: none. The door enforces it. */
  const timeout = z.number().positive().optional()
  /** Timeout in milliseconds of a user's function that answers as a part of the effect. */
  const hookTimeout = z.number().positive().optional()

  const thread = z.object({
    agent: z.string(),
    threadId: z.string(),
    resourceId: z.string().optional(),
    timeout,
  })

  const background = z.object({ concurrency: z.number() }).optional()
  const subagents = z.record(z.string(), z.object({ id: z.string(), description: z.string(), background }))

  /** `parameters`: the JSON Schema of the input of a handoff. */
  const successor = z.object({
    id: z.string(),
    description: z.string(),
    parameters: z.record(z.string(), json).optional(),
  })

  const review = { feedback: z.string().optional(), resultText: z.string().optional() } as const
  /** The answers that the user's function may give; it bails by a call. */
  const delegationReview = strictShape(review).nullish()

  /** The answers that each user function may give. Where a function may answer nothing, that is no objection. */
  const hookOutcomes = {
    onDelegationStart: strictShape({
      proceed: z.boolean().default(true),
      rejectionReason: z.string().optional(),
      modifiedPrompt: z.string().min(1).optional(),
      modifiedInstructions: z.string().optional(),
      modifiedMaxSteps: stepCount.optional(),
      modifiedToolGroups: names.optional(),
      modifiedThreadId: z.string().min(1).optional(),
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
    requireDelegationApproval: z.boolean(),
    approvePlan: z.boolean(),
    validateArguments: z.object({ problem: z.string().nullable() }),
    validateObject: z.object({ problem: z.string().nullable(), object: json }),
    configure: z.object({
      instructions: z.string(),
      /** Provider and model id. */
      model: z.string(),
      /** The models that follow it; absent without any. */
      fallbacks: z.array(z.string()).readonly().optional(),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), json),
          strict: z.literal(true).optional(),
          requireApproval: z.union([z.boolean(), z.literal('asks')]),
          approvalTimeout: z.number().optional(),
          timeout: z.number().optional(),
          onInterrupted: z.enum(['retry', 'ask', 'fail']),
          maxInterruptions: z.number().optional(),
          background,
          isWorkflow: z.literal(true).optional(),
          isClient: z.literal(true).optional(),
          deferred: z.literal(true).optional(),
          finds: z.literal(true).optional(),
          groups: names.optional(),
          applicableStates: names.optional(),
          nextState: z.string().optional(),
        }),
      ),
      agents: subagents,
      /** Agents that the conversation may be handed to. */
      handoffs: z.record(z.string(), successor).optional(),
      /** Set where a function of the run makes it; `null`: the agent remembers nothing. */
      memory: z
        .object({
          lastMessages: z.number().int().nonnegative(),
          workingMemory: z.object({ template: z.string().optional() }).optional(),
        })
        .nullable()
        .optional(),
    }),
    /** The part of the conversation that goes with a handoff. */
    handoffFilter: z.array(message),
    /** `messages` is null where they are unchanged. */
    processInput: z.object({
      messages: z.array(message).nullable(),
      /** What the processor has looked up; absent: it has told nothing. */
      recalled: z.array(passage).readonly().optional(),
      ...chained,
    }),
    processOutput: z.object({ text: z.string(), ...chained }),
  } as const satisfies Readonly<Record<HookName, z.ZodType>>

  const effectKinds = {
    model: {
      input: z.object({
        agent: z.string(),
        /** Provider and model id. */
        model: z.string(),
        fallback,
        /** The message of this agent that the reply becomes. */
        message: z.string(),
        messages: conversation,
        /** Digest of the tools on offer; `none` where the model can only answer. */
        tools: z.string(),
        toolChoice,
        /** The scope by which the tools on offer were chosen; absent where the agent is offered all its tools. */
        scope: toolScope.optional(),
        /** The final turn of a run that has reached a cap: the call is made in any case. */
        finalTurn: z.literal(true).optional(),
        /** A decision of a pattern, and no text of the agent: its deltas are not shown. */
        quiet: z.literal(true).optional(),
        /** The text so far is kept where the call is cut. */
        keepsPartial: z.literal(true).optional(),
        responseFormat: z.object({ name: z.string(), schema: z.record(z.string(), json) }).optional(),
        /** The step of the agent that the call is a part of; 0: of none. No part of the digest. */
        step: z.number().int().nonnegative().optional(),
        /** Of a decision: reads the calls that its text asks for. A function, and so no part of the digest. */
        calls: z.custom<CallReader>((value) => typeof value === 'function').optional(),
        /** Where the output processors are given that see the reply as it streams. */
        outputProcessors: scope.optional(),
        toolset,
        timeout,
        hookTimeout,
      }),
      outcome: modelReply.extend({
        /** The provider of the model, where the reply has data or reasoning that goes back to it. */
        provider: z.string().optional(),
        /** Of each call, by position, of a decision those that its text asks for. Absent where there is none. */
        verdicts: z.array(verdict.nullable()).readonly().optional(),
        /** Failures and refusal of the output processors as the reply streamed; their changes are in the reply. */
        screening: z.object({ failures: z.array(error), tripwire: tripwire.optional() }).optional(),
        called: called.optional(),
      }),
    },
    tool: {
      input: z.object({
        agent: z.string(),
        tool: z.string(),
        callId: z.string(),
        args: json,
        resumeData: json.optional(),
        /** Those before it too, in their order: no part of the digest. */
        answers: z.custom<readonly SuspensionAnswer[]>(Array.isArray).optional(),
        toolset,
        timeout,
        hookTimeout,
        /** Of a search for tools: where it may find some. */
        scope: toolScope.optional(),
        /** An earlier attempt was interrupted: the next such call is not recorded before this one has begun. */
        isAgain: z.literal(true).optional(),
      }),
      outcome: z.discriminatedUnion('type', [
        /**
         * `files`: those in the value, by reference or URL. `leaving`: they go up with the answer of the agent to the agents
         * above it. In journals of before they did, it is absent.
         */
        z.object({
          type: z.literal('returned'),
          value: json,
          files: files.optional(),
          leaving: z.literal(true).optional(),
        }),
        /** `name`: the one that the tool gives to its question. `delay`: milliseconds after which the call goes on by itself. */
        z.object({
          type: z.literal('suspended'),
          payload: json,
          name: z.string().optional(),
          delay: z.number().nonnegative().optional(),
        }),
        /**
         * The call had started when the process ended; how far it came is unknown. Made by the engine. `isUncertain`:
         * its start is recorded, but another call was begun before it, and the process may have ended there. `restored`: the
         * run goes on from an earlier point, and the call may have been performed before.
         */
        z.object({
          type: z.literal('interrupted'),
          isUncertain: z.literal(true).optional(),
          restored: z.literal(true).optional(),
        }),
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
        /** The id that `run.approve`, `run.deny` and `run.resume` take. */
        id: z.string(),
        type: z.enum(['approval', 'suspension', 'interruption']),
        agent: z.string(),
        toolName: z.string(),
        args: json,
        payload: json.optional(),
        /** A tool of the client. */
        isClient: z.literal(true).optional(),
      }),
      outcome: z.object({
        approved: z.boolean(),
        reason: z.string().optional(),
        data: json.optional(),
        /** The arguments that a person has put in the place of those of the model. */
        args: json.optional(),
        /** Whether these arguments fitted when the run took the answer. */
        verdict: verdict.optional(),
        /** As `verdict`, on the calls that a changed plan names, by the positions of its steps. */
        verdicts: z.array(verdict.nullable()).readonly().optional(),
        /** The person or program that answered, its note, and the id of the answer. */
        by: z.string().optional(),
        note: z.string().optional(),
        answerId: z.string().optional(),
        /** The decision holds for later calls of the same tool by the same agent. */
        always: z.literal(true).optional(),
      }),
    },
    memory: {
      input: z.discriminatedUnion('operation', [
        thread.extend({
          operation: z.literal('recall'),
          lastMessages: z.number().int().nonnegative(),
          workingMemory: z.boolean(),
          /** Whether the outcome names the agent that holds the conversation. */
          holder: z.literal(true).optional(),
        }),
        thread.extend({ operation: z.literal('save'), messages: z.array(savedMessage) }),
        /** Asks this process for the text so far of the agent's last model call. */
        z.object({ operation: z.literal('partial'), agent: z.string(), timeout }),
      ]),
      /** `null` for a save, and for a cut answer of which no text is here. */
      outcome: z.union([recalled, cut, z.null()]),
    },
    /** A remote subagent. */
    agent: {
      input: z.discriminatedUnion('operation', [
        /** `request`: the one that its machine would receive here. */
        z.object({ operation: z.literal('run'), request: z.record(z.string(), z.unknown()) }),
        z.object({
          operation: z.literal('cancel'),
          agent: z.string(),
          path: z.string(),
          cause: z.enum(['cancel', 'timeout', 'bail']),
          reason: z.string().optional(),
        }),
        /** The time of the run is up. `error` names the limit. */
        z.object({ operation: z.literal('expire'), agent: z.string(), path: z.string(), error }),
      ]),
      /** The outcome of the agent; `null` for a message: it is delivered, and the outcome of the agent still follows. */
      outcome: z.union([z.record(z.string(), json), z.null()]),
    },
    /** A request to the server of an agent that another system serves. */
    remote: remoteEffect(),
    config: {
      input: z.object({ agent: z.string(), kinds: z.array(z.string()), timeout }),
      /** Items of these kinds, in the order in which they were first set. */
      outcome: z.object({ items: z.array(z.object({ kind: z.string(), key: z.string(), value: json })) }),
    },
    timer: {
      input: z.object({
        /** Milliseconds of logical time. */
        delay: z.number().nonnegative(),
        /** The most milliseconds to add, chosen by the key of the effect: jitter that replays alike. */
        spread: z.number().nonnegative().optional(),
        /** Runs on while the run waits for a signal, and does not keep the run from being suspended. */
        dormant: z.literal(true).optional(),
        /** The delay leads to a moment of the calendar: a fork that is made later does not put it off. */
        isMoment: z.literal(true).optional(),
      }),
      outcome: z.null(),
    },
    /** A summary that replaces messages of a conversation. */
    compaction: {
      input: z.object({
        agent: z.string(),
        /** Provider and model id of the model that writes the summary; absent: a user's function writes it. */
        model: z.string().optional(),
        fallback,
        /** Where that model or function is given; absent: the model is the agent's own. */
        scope: scope.optional(),
        task: z.string(),
        /** The messages that the summary replaces. */
        messages: conversation,
        /** The most characters of these messages that a model reads. */
        characters: z.number(),
        /** The most words that the summary is to have. */
        words: z.number(),
        toolset,
        timeout,
        hookTimeout,
      }),
      /** `usage`: of the model. An empty text is no summary. */
      outcome: z.object({ text: z.string(), usage, called: called.optional() }),
    },
    /** An effect of an adapter. `once`: its start is on record before it. */
    custom: {
      input: z.object({
        name: z.string(),
        input: json,
        timeout: z.number().optional(),
        once: z.literal(true).optional(),
      }),
      outcome: json,
    },
  } as const satisfies Readonly<
    Record<EffectKind, { readonly input: z.ZodType; readonly outcome: z.ZodType }>
  >

  return {
    modelReply,
    delegationReview,
    processorAnswers,
    recalled,
    cut,
    savedMessage,
    hookOutcomes,
    effectKinds,
  } as const
})

export type Schemas = ReturnType<typeof effectSchemas>

export type Recalled = z.output<Schemas['recalled']>
export type CutAnswer = z.output<Schemas['cut']>
export type SavedMessage = z.output<Schemas['savedMessage']>

export type HookOutcome<Name extends HookName> = z.output<Schemas['hookOutcomes'][Name]>
export type ProcessorAnswer<Name extends keyof Schemas['processorAnswers']> = z.output<
  Schemas['processorAnswers'][Name]
>

export type EffectInput<Kind extends EffectKind> = z.output<Schemas['effectKinds'][Kind]['input']>
export type EffectOutcome<Kind extends EffectKind> = z.output<Schemas['effectKinds'][Kind]['outcome']>
