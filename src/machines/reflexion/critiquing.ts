/** `critiquing`: the model criticises its last step. */
import { z } from 'zod'
import { toJsonSchema } from '../../actors/schemas/to-json-schema.ts'
import { once } from '../../actors/values/once.ts'
import { parseDecision } from '../decision/parse-decision.ts'
import { valueOf, type Question } from '../loop/changes/decision-input.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import { asking } from '../loop/states/asking.ts'
import { reflexionSetup } from './setup.ts'

const critiqueSchema = once(() =>
  z.object({
    satisfied: z.boolean(),
    critique: z.string(),
  }),
)

function critiqueQuestion({ reply }: LoopContext): Question {
  const last = reply?.toolCalls.length === 0 ? 'your answer' : 'your last action and what came of it'
  return {
    subject: 'critique',
    prompt: `Criticise ${last}, as a strict reviewer would: is it right, complete, and a step towards the task? Answer as JSON: { "satisfied": true or false, "critique": what to do better, in a few words }.`,
    responseFormat: { name: 'critique', schema: toJsonSchema(critiqueSchema(), 'critique') },
    check: (text) =>
      parseDecision(text, critiqueSchema(), ({ satisfied, critique }) =>
        satisfied || critique.trim() !== '' ? undefined : 'a critique is missing',
      ),
  }
}

/** The model criticises its last step, up to the cap; its objection is part of the next prompt. */
export function critiquing(to: { readonly passed: string }) {
  const passed = `#${to.passed}` as const
  return reflexionSetup.createStateConfig({
    description: 'The model criticises its last step, and may object to it.',
    initial: 'choosing',
    states: {
      choosing: { always: [{ guard: 'mayCritique', target: 'asking' }, { target: passed }] },
      asking: asking(
        {
          question: critiqueQuestion,
          take: ['countCritique', { type: 'announceCritique', params: valueOf }],
        },
        { made: 'critiquing.judging', goesOn: to.passed },
      ),
      judging: {
        description: 'Does the critique object?',
        always: [
          { guard: { type: 'isSatisfied', params: valueOf }, target: passed },
          { target: passed, actions: { type: 'recordCritique', params: valueOf } },
        ],
      },
    },
  })
}
