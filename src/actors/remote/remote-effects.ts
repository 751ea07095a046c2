/** The kind of effect `remote`: one request about a task to the server of an agent that another system serves. */
import { z } from 'zod'
import { contentSchema, filePartSchema } from '../content/content-schema.ts'
import type { JsonValue } from '../values/json.ts'

/** The input and the outcome of the kind. */
export function remoteEffect() {
  const json: z.ZodType<JsonValue> = z.json()

  /** A task as its server names it. */
  const task = z.object({ id: z.string(), contextId: z.string() })

  /** A question of the server, as a person is asked it. */
  const question = z.object({
    /** Tells the questions of a task apart. */
    id: z.string(),
    type: z.enum(['approval', 'suspension']),
    toolName: z.string(),
    args: json,
    payload: json.optional(),
    /** The name that the server gives the question. */
    ref: z.string().optional(),
  })

  /** The answer of a person. */
  const answer = z.object({
    approved: z.boolean(),
    reason: z.string().optional(),
    note: z.string().optional(),
    data: json.optional(),
  })

  /**
   * `message`: names the message among those of this agent in the run; the same in each attempt. `thread`: names the
   * conversation.
   */
  const message = { agent: z.string(), message: z.string(), thread: z.string() }

  /** It may have arrived: the request that sends it looks for it first. */
  const isAgain = z.literal(true).optional()

  const given = z.object({
    type: z.literal('answered'),
    text: z.string(),
    /** The answer as data. */
    object: json.optional(),
    files: z.array(filePartSchema()).readonly().optional(),
  })

  return {
    input: z.discriminatedUnion('operation', [
      /** Begins a task. */
      z.object({ operation: z.literal('send'), ...message, content: contentSchema(), isAgain }),
      /** Answers a question of a task. */
      z.object({ operation: z.literal('answer'), ...message, task, question, answer, isAgain }),
      /** Asks whether a message has arrived. */
      z.object({ operation: z.literal('find'), ...message, task: task.optional() }),
      /** Waits for the end of a task, or for a question, at most `wait` milliseconds. */
      z.object({
        operation: z.literal('follow'),
        agent: z.string(),
        task,
        /** The call that reports of its progress belong to. */
        callId: z.string(),
        wait: z.number(),
        /** The question that was answered last: until it has gone, it is no new one. */
        answered: z.string().optional(),
        /** Nothing is reported. */
        isQuiet: z.literal(true).optional(),
      }),
      z.object({ operation: z.literal('cancel'), agent: z.string(), task }),
    ]),
    outcome: z.discriminatedUnion('type', [
      /** Of `send`, `answer` and `find`: the message has arrived. */
      z.object({ type: z.literal('begun'), task }),
      /** Of `find`: the message has not arrived, or the server cannot tell. */
      z.object({ type: z.literal('missing') }),
      /**
       * Of `send` and `answer`: the process ended before the reply. `restored`: the run goes on from an earlier point, and the
       * message may have been sent before. Made by the engine.
       */
      z.object({
        type: z.literal('interrupted'),
        isUncertain: z.literal(true).optional(),
        restored: z.literal(true).optional(),
      }),
      /** Of `follow`: the task is still at work. */
      z.object({ type: z.literal('working') }),
      z.object({ type: z.literal('asks'), question }),
      given,
      /** Of `follow`: the task has ended without an answer. */
      z.object({ type: z.literal('ended'), code: z.string(), message: z.string() }),
      z.object({ type: z.literal('cancelled') }),
    ]),
  } as const
}

/** The name of the call that stands for a task in steps and events. */
export const taskTool = 'remote-task'

export type Kind = ReturnType<typeof remoteEffect>
export type Input = z.output<Kind['input']>
export type Outcome = z.output<Kind['outcome']>

export type RemoteTask = Extract<Input, { operation: 'cancel' }>['task']
export type RemoteQuestion = Extract<Outcome, { type: 'asks' }>['question']
export type PersonsAnswer = Extract<Input, { operation: 'answer' }>['answer']
export type RemoteAnswer = Extract<Outcome, { type: 'answered' }>
export type RemoteSent = Extract<Outcome, { type: 'begun' | 'answered' }>
export type RemoteFollowed = Extract<Outcome, { type: 'working' | 'asks' | 'answered' | 'ended' }>

/** Whether the start of the request is recorded before it: a repetition could begin a second task. */
export function sendsMessage({ operation }: Pick<Input, 'operation'>): boolean {
  return operation === 'send' || operation === 'answer'
}
