/**
 * The kinds of effects, each with the shape of a machine's request (`input`) and of its result (`outcome`).
 * Outcomes are JSON: they are journaled. Inputs may hold `AppendLog`s, which serialise as arrays. These schemas
 * bring values from outside (replies of models, answers of hooks) into shape before they enter the journal; the
 * library makes all others in these shapes.
 */
import { z } from 'zod'
import type { EffectKind, HookName } from './effect-names.ts'
import { hookAnswers } from './hook-answers.ts'
import type { CallReader } from '../message.ts'
import { remoteEffect } from '../remote/remote-effects.ts'
import type { SuspensionAnswer } from '../tool.ts'
import { once } from '../values/once.ts'
import { effectValues } from './values.ts'

/** Made when the first schema is needed: describing them all takes longer than loading the rest of the library. */
export const effectSchemas = once(() => {
  const values = effectValues()
  const { json, files, usage, modelReply, verdict, toolChoice, error, tripwire, conversation, toolset } =
    values
  const { scope, called, recalled, savedMessage, cut, fallback, toolScope, timeout, hookTimeout, thread } =
    values
  const { delegationReview, processorAnswers, hookOutcomes } = hookAnswers(values)

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
