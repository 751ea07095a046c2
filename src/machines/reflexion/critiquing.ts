/** `critiquing`: the agent looks at what it has just done, at most so often, and hears of it in its next prompt. */
import { z } from 'zod'
import { AppendLog } from '../../actors/values/append-log.ts'
import type { Message } from '../../actors/message.ts'
import { toJsonSchema } from '../../actors/schema.ts'
import { parseDecision } from '../decision/parse-decision.ts'
import type { Question } from '../loop/changes/decision-input.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import { failure } from '../shared/params.ts'
import { crashTakenDown, problemOf, reportOf, takenDown, valueOf } from '../loop/child-events.ts'
import { reflexionSetup } from './setup.ts'

const critiqueSchema = z.object({
  satisfied: z.boolean(),
  critique: z.string(),
})

function critiqueQuestion({ messages, reply }: LoopContext): Question {
  const last = reply?.toolCalls.length === 0 ? 'your answer' : 'your last action and what came of it'
  return {
    subject: 'critique',
    messages: AppendLog.of<Message>([
      ...messages,
      {
        role: 'user',
        content: `Criticise ${last}, as a strict reviewer would: is it right, complete, and a step towards the task? Answer as JSON: { "satisfied": true or false, "critique": what to do better, in a few words }.`,
        internal: 'notice',
      },
    ]),
    responseFormat: { name: 'critique', schema: toJsonSchema(critiqueSchema, 'critique') },
    check: (text) =>
      parseDecision(text, critiqueSchema, ({ satisfied, critique }) =>
        satisfied || critique.trim() !== '' ? undefined : 'a critique is missing',
      ),
  }
}

export const critiquing = /* @__PURE__ */ reflexionSetup.createStateConfig({
  id: 'critiquing',
  description: 'The agent looks at what it has just done, and may object to it.',
  initial: 'choosing',
  states: {
    choosing: { always: [{ guard: 'mayCritique', target: 'asking' }, { target: '#deciding' }] },
    asking: {
      entry: { type: 'startDecision', params: ({ context }) => critiqueQuestion(context) },
      on: {
        'xstate.done.actor.*': [
          {
            guard: { type: 'isSatisfied', params: reportOf },
            target: '#deciding',
            actions: [
              ...takenDown,
              { type: 'countCritique', params: valueOf },
              { type: 'announceCritique', params: valueOf },
            ],
          },
          {
            guard: { type: 'isMade', params: reportOf },
            target: '#deciding',
            actions: [
              ...takenDown,
              { type: 'countCritique', params: valueOf },
              { type: 'announceCritique', params: valueOf },
              { type: 'takeToHeart', params: valueOf },
            ],
          },
          {
            target: '#deciding',
            actions: [...takenDown, { type: 'announceError', params: problemOf }],
          },
        ],
        'xstate.error.actor.*': {
          target: '#deciding',
          actions: [...crashTakenDown, { type: 'announceError', params: failure }],
        },
      },
    },
  },
})
