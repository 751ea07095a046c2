/** The answers that each function of a user may give: hooks, filters, policies, processors and functions of the run. */
import { z } from 'zod'
import type { HookName } from './effect-names.ts'
import { sayings } from '../strict/hints.ts'
import { strictShape } from '../strict/shape.ts'
import type { EffectValues } from './values.ts'

export function hookAnswers({ json, message, error, tripwire, names }: EffectValues) {
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

  const stepCount = z.number().int().positive()

  const passage = z.object({
    id: z.string(),
    text: z.string(),
    source: z.string().optional(),
    score: z.number().optional(),
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

  const rejecting = 'to reject, answer { proceed: false, rejectionReason }'
  const rejections = sayings({
    reject: rejecting,
    rejected: rejecting,
    deny: rejecting,
    block: rejecting,
    skip: rejecting,
    cancel: rejecting,
  })

  /** The answers that each user function may give. Where a function may answer nothing, that is no objection. */
  const hookOutcomes = {
    onDelegationStart: strictShape(
      {
        proceed: z.boolean().default(true),
        rejectionReason: z.string().optional(),
        modifiedPrompt: z.string().min(1).optional(),
        modifiedInstructions: z.string().optional(),
        modifiedMaxSteps: stepCount.optional(),
        modifiedToolGroups: names.optional(),
        modifiedThreadId: z.string().min(1).optional(),
      },
      rejections,
    ),
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

  return { delegationReview, processorAnswers, hookOutcomes } as const
}
